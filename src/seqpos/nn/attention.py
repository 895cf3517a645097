"""Multi-head attention that knows a position scheme only by its hooks, and the cache it decodes with.

Masking is done here: causal by the order in memory, and by segment, so packed sequences and padding
work under every scheme.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqpos._arrays import check_flag, check_integer
from seqpos.nn.scheme import PositionScheme, check_positions, check_tensor
from seqpos.rotary import positions_from_segments

SchemeOrFactory = PositionScheme | Callable[[], PositionScheme]


@dataclass
class _Slot:
    """What one layer has seen: turned keys, values, and where they stand."""

    k: Tensor
    v: Tensor
    positions: Tensor  # [batch, length]
    segments: Tensor | None  # [batch, length]


class KeyValueCache:
    """Keys, already turned, and values of every layer, for one batch of sequences being decoded.

    The next position is, row by row, the last plus one, the last of its own segment where segments are given; the
    next segment is the last.

    >>> attention = Attention(8, 2, scheme=PositionScheme())
    >>> cache, x = KeyValueCache(), torch.zeros(1, 3, 8)
    >>> _ = attention(x, cache=cache)
    >>> cache.length(attention)
    3
    """

    def __init__(self) -> None:
        self._slots: dict[nn.Module, _Slot] = {}

    def length(self, layer: nn.Module) -> int:
        """How many tokens the layer's slot holds."""
        return self._slots[layer].k.shape[-2] if layer in self._slots else 0

    def next_positions(
        self, layer: nn.Module, batch: int, length: int, segments: Tensor | None = None
    ) -> Tensor | None:
        """[batch, length], going on from each row's last position; None when nothing is cached yet.

        With segments, [batch, length], each token goes on from the last of its own segment, or begins at 0.
        """
        slot = self._slots.get(layer)
        if slot is None:
            return None
        self._check_batch(slot, batch)
        if segments is None:
            return slot.positions[:, -1:] + torch.arange(1, length + 1, device=slot.positions.device)
        cached = torch.zeros_like(slot.positions) if slot.segments is None else slot.segments
        own = cached[:, None, :] == segments[:, :, None]
        last = (own * torch.arange(1, cached.shape[1] + 1, device=cached.device)).amax(dim=-1)
        first = torch.where(last > 0, slot.positions.gather(1, (last - 1).clamp(min=0)) + 1, 0)
        return torch.where(segments < 0, 0, first + positions_from_segments(segments))

    @staticmethod
    def _check_batch(slot: _Slot, batch: int) -> None:
        if slot.k.shape[0] != batch:
            raise ValueError(f"cache must be of the same batch as what is read, got {slot.k.shape[0]} rows for {batch}")

    def extend(self, layer: nn.Module, k: Tensor, v: Tensor, positions: Tensor, segments: Tensor | None) -> _Slot:
        """Append new tokens to the layer's slot; returns all of it."""
        batch, length = k.shape[0], k.shape[-2]
        positions = positions.expand(batch, length)
        old = self._slots.get(layer)
        if old is not None:
            self._check_batch(old, batch)
            if segments is None and old.segments is not None:
                segments = old.segments[:, -1:].expand(batch, length)
            before = old.segments
            if before is None and segments is not None:
                before = torch.zeros_like(old.positions)
            k, v = torch.cat([old.k, k], dim=-2), torch.cat([old.v, v], dim=-2)
            positions = torch.cat([old.positions, positions], dim=-1)
            segments = None if segments is None else torch.cat([before, segments.expand(batch, length)], dim=-1)
        elif segments is not None:
            segments = segments.expand(batch, length)
        # An empty call must leave the slot as it was: there is no last position to go on from.
        slot = _Slot(k, v, positions, segments)
        if slot.k.shape[-2]:
            self._slots[layer] = slot
        return slot


class Attention(nn.Module):
    """Multi-head self-attention under any `PositionScheme`.

    The input door is not its business: a model calls `scheme.embed` once, before its first layer.

    Args:
        dim: the model's width; `num_heads` divides it.
        num_heads: query heads.
        scheme: an instance (shared by whoever else holds it) or a factory of one.
        causal: whether a token sees only itself and what came before it in memory.
        num_key_value_heads: fewer key and value heads than query heads (grouped queries).

    Shape:
        x: [batch, length, dim]; positions, segments: integers [length] or [batch, length]; the result is
        [batch, length, dim]. Without positions: 0, 1, 2 …, counted within each segment, or on from the cache.
        Tokens attend within their segment; a negative one is padding, whose outputs mean nothing.

    Raises:
        ValueError: heads that do not divide, shapes that do not fit. TypeError: not a scheme.

    Source: Vaswani et al. (1706.03762), section 3.2.

    >>> Attention(8, 2, scheme=PositionScheme())(torch.zeros(1, 3, 8)).shape
    torch.Size([1, 3, 8])
    """

    def __init__(
        self,
        dim: int,
        num_heads: int,
        *,
        scheme: SchemeOrFactory,
        causal: bool = True,
        num_key_value_heads: int | None = None,
    ) -> None:
        super().__init__()
        dim = check_integer("dim", dim, minimum=1)
        self.num_heads = check_integer("num_heads", num_heads, minimum=1)
        if dim % num_heads:
            raise ValueError(f"num_heads must divide dim = {dim}, got {num_heads}")
        if num_key_value_heads is None:
            num_key_value_heads = num_heads
        self.num_key_value_heads = check_integer("num_key_value_heads", num_key_value_heads, minimum=1)
        if num_heads % num_key_value_heads:
            raise ValueError(f"num_key_value_heads must divide num_heads = {num_heads}, got {num_key_value_heads}")
        self.dim, self.head_dim, self.causal = dim, dim // num_heads, check_flag("causal", causal)
        self.scheme = resolve_scheme(scheme)
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, num_key_value_heads * self.head_dim, bias=False)
        self.value = nn.Linear(dim, num_key_value_heads * self.head_dim, bias=False)
        self.output = nn.Linear(dim, dim, bias=False)

    def forward(
        self,
        x: Tensor,
        *,
        positions: Tensor | None = None,
        segments: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        check_tensor("x", x, "batch", "length", self.dim)
        batch, length, _ = x.shape
        positions = resolve_positions(positions, segments, cache, self, x)
        q = self._heads(self.query(x), self.num_heads)
        k = self._heads(self.key(x), self.num_key_value_heads)
        v = self._heads(self.value(x), self.num_key_value_heads)
        q, k = self.scheme.rotate_queries(q, positions), self.scheme.rotate_keys(k, positions)
        key_positions = positions
        if cache is not None:
            slot = cache.extend(self, k, v, positions, segments)
            k, v, key_positions, all_segments = slot.k, slot.v, slot.positions, slot.segments
            positions = positions.expand(batch, length)
        else:
            all_segments = segments
        if self.num_key_value_heads != self.num_heads:
            group = self.num_heads // self.num_key_value_heads
            k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        bias = self.scheme.bias(q, k, positions, key_positions)
        mask = self._mask(length, k.shape[-2], all_segments, x.device)
        if bias is not None and mask is not None:
            bias = bias.masked_fill(~mask, float("-inf"))
        attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask if bias is None else bias)
        return self.output(attended.transpose(1, 2).reshape(batch, length, self.dim))

    def _heads(self, x: Tensor, heads: int) -> Tensor:
        return x.unflatten(-1, (heads, self.head_dim)).transpose(1, 2)

    def _mask(self, queries: int, keys: int, segments: Tensor | None, device: torch.device) -> Tensor | None:
        """True where a query may see a key: [q, k] or [batch, 1, q, k]; None where all may see all."""
        key = torch.arange(keys, device=device)
        query = key[keys - queries :, None]
        mask = key <= query if self.causal and queries > 1 else None  # a lone query is the last token: it sees all
        if segments is not None:
            segments = segments if segments.ndim == 2 else segments[None]
            own = segments[:, None, keys - queries :, None] == segments[:, None, None, :]
            # A padding token sees itself alone: a softmax over nothing would be NaN.
            allowed = (own & (segments >= 0)[:, None, None, :]) | (key == query)
            mask = allowed if mask is None else mask & allowed
        return mask


def resolve_scheme(scheme: SchemeOrFactory) -> PositionScheme:
    """An instance as it is; a factory's product; anything else is a TypeError."""
    made = scheme if isinstance(scheme, nn.Module) or not callable(scheme) else scheme()
    if not isinstance(made, PositionScheme):
        raise TypeError(f"scheme must be a PositionScheme or a factory of one, got {made!r}")
    return made


def resolve_positions(
    positions: Tensor | None, segments: Tensor | None, cache: KeyValueCache | None, layer: nn.Module, x: Tensor
) -> Tensor:
    """The positions asked for, or on from the cache, or counted within segments, or 0, 1, 2 …"""
    batch, length = x.shape[:2]
    if cache is not None and not isinstance(cache, KeyValueCache):
        raise TypeError(f"cache must be a KeyValueCache, got {cache!r}")
    if segments is not None:
        check_positions(segments, length, batch, name="segments")
    if positions is not None:
        check_positions(positions, length, batch)
        return positions.to(x.device)
    if cache is not None:
        whole = None if segments is None else segments.to(x.device).expand(batch, length)
        following = cache.next_positions(layer, batch, length, whole)
        if following is not None:
            return following
    if segments is not None:
        return positions_from_segments(segments).to(x.device)
    return torch.arange(length, device=x.device)
