"""What a Transformer asks of a position scheme: one hook for each door, each the identity by default.

A scheme of your own overrides the hook of its door and runs in `Attention` and `DecoderLM` as it is.
Positions are integers [length] or [batch, length] throughout.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class PositionScheme(nn.Module):
    """A way to tell a Transformer the order of its tokens. The base class tells it nothing.

    >>> class Nearest(PositionScheme):
    ...     def bias(self, q, k, query_positions, key_positions):
    ...         return -(key_positions[None, :] - query_positions[:, None]).abs().float()[None, None]
    >>> x = torch.zeros(1, 3, 8)
    >>> Nearest().embed(x, torch.arange(3)) is x
    True
    """

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Input door, called once a model: token embeddings [batch, length, dim] to the same shape."""
        return x

    def rotate_queries(self, q: Tensor, positions: Tensor) -> Tensor:
        """Geometry door: queries [batch, heads, length, head_dim] to the same shape."""
        return q

    def rotate_keys(self, k: Tensor, positions: Tensor) -> Tensor:
        """Geometry door: keys, apart from queries because cached keys are turned only once."""
        return k

    def bias(self, q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor | None:
        """Score door: None, or [batch or 1, heads, q, k], added to q·k/√D. q and k come as turned."""
        return None

    def score_mod(self, query_positions: Tensor, key_positions: Tensor) -> Callable[..., Tensor] | None:
        """Score door for flex_attention, without the q×k array; None where q and k are needed."""
        return None


class NoPosition(PositionScheme):
    """No position at all: what order a model still sees comes from its causal mask.

    Source: Haviv et al. (2203.16634), Kazemnejad et al. (2305.19466).

    >>> q = torch.zeros(1, 2, 3, 4)
    >>> NoPosition().rotate_queries(q, torch.arange(3)) is q
    True
    """


def check_tensor(name: str, x: Tensor, *shape: str | int) -> None:
    """A floating-point tensor with these axes: a number is a size, a word names an axis of any size."""
    if not isinstance(x, Tensor) or not x.is_floating_point():
        kind = f"dtype {x.dtype}" if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a floating-point torch tensor, got {kind}")
    fits = x.ndim == len(shape) and all(isinstance(asked, str) or asked == size for asked, size in zip(shape, x.shape))
    if not fits:
        raise ValueError(f"{name} must have shape [{', '.join(map(str, shape))}], got {tuple(x.shape)}")


def check_whole(name: str, x: Tensor) -> None:
    """A tensor of integers; booleans are none."""
    whole = isinstance(x, Tensor) and not x.is_floating_point() and not x.is_complex() and x.dtype != torch.bool
    if not whole:
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a torch tensor of integers, got {kind}")


def check_scores(
    q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor, heads: str | int = "heads"
) -> None:
    """What every score door is given: turned queries and keys, and where each of them stands."""
    check_tensor("q", q, "batch", heads, "q", "head_dim")
    check_tensor("k", k, "batch", heads, "k", "head_dim")
    check_positions(query_positions, q.shape[-2], q.shape[0], name="query_positions")
    check_positions(key_positions, k.shape[-2], k.shape[0], name="key_positions")


def check_positions(positions: Tensor, length: int, batch: int, *, name: str = "positions") -> None:
    """Positions are integers [length] or [batch, length]."""
    check_whole(name, positions)
    # Compared one by one: a compiler with symbolic lengths does not look them up in a list.
    rows = positions.shape[0] if positions.ndim == 2 else 1
    if positions.ndim not in (1, 2) or positions.shape[-1] != length or (rows != 1 and rows != batch):
        raise ValueError(
            f"{name} must have shape [length] or [batch, length], here [{length}] or [{batch}, {length}], "
            f"got {tuple(positions.shape)}"
        )


def with_batch_axis(bias: Tensor) -> Tensor:
    """[heads, q, k] as [1, heads, q, k]; a batched bias as it is."""
    return bias[None] if bias.ndim == 3 else bias
