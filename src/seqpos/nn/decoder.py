"""A small decoder-only language model in which only the position scheme changes from race to race."""

import torch
from torch import Tensor, nn

from seqpos._arrays import Real, check_integer, check_positive
from seqpos.nn.attention import Attention, KeyValueCache, SchemeOrFactory, resolve_positions
from seqpos.nn.scheme import check_positions


class DecoderLM(nn.Module):
    """A causal Transformer: token embeddings, pre-norm blocks, a linear readout.

    Args:
        vocab_size: number of tokens.
        dim: width; num_layers: blocks; num_heads: heads, which divide dim.
        scheme: one instance shared by all layers, or a factory that makes one a layer.

    Shape:
        tokens: integers [batch, length]; the result is logits [batch, length, vocab_size]. positions,
        segments, cache: as in `Attention`.

    Raises:
        TypeError, ValueError: tokens that are not integers [batch, length] below vocab_size; as in `Attention`.

    Source: the pre-norm decoder of Radford et al. (2019).

    >>> from seqpos.nn import ALiBi
    >>> model = DecoderLM(10, dim=8, num_layers=1, num_heads=2, scheme=ALiBi(2))
    >>> model(torch.zeros(1, 5, dtype=torch.int64)).shape
    torch.Size([1, 5, 10])
    """

    def __init__(self, vocab_size: int, *, dim: int, num_layers: int, num_heads: int, scheme: SchemeOrFactory) -> None:
        super().__init__()
        self.vocab_size = check_integer("vocab_size", vocab_size, minimum=1)
        num_layers = check_integer("num_layers", num_layers, minimum=1)
        self.tokens = nn.Embedding(vocab_size, check_integer("dim", dim, minimum=1))
        self.blocks = nn.ModuleList(_Block(dim, num_heads, scheme) for _ in range(num_layers))
        self.norm = nn.LayerNorm(dim)
        self.readout = nn.Linear(dim, vocab_size, bias=False)
        self.apply(_initialise)

    def forward(
        self,
        tokens: Tensor,
        *,
        positions: Tensor | None = None,
        segments: Tensor | None = None,
        cache: KeyValueCache | None = None,
    ) -> Tensor:
        self._check(tokens)
        first = self.blocks[0].attention
        positions = resolve_positions(positions, segments, cache, first, tokens)
        x = first.scheme.embed(self.tokens(tokens), positions)
        for block in self.blocks:
            x = block(x, positions=positions, segments=segments, cache=cache)
        return self.readout(self.norm(x))

    @torch.no_grad()
    def generate(
        self,
        tokens: Tensor,
        *,
        max_new_tokens: int,
        temperature: Real = 0.0,
        generator: torch.Generator | None = None,
        segments: Tensor | None = None,
    ) -> Tensor:
        """Go on from a prompt, a token at a time with a cache.

        Args:
            tokens: the prompt [batch, length], at least one token a row.
            max_new_tokens: how many to add.
            temperature: 0 takes the likeliest token; above, tokens are drawn.
            generator: for drawing.
            segments: marks padding on the left of shorter prompts with a negative number.

        Returns:
            [batch, length + max_new_tokens].

        Raises:
            ValueError: an empty prompt, a negative number of tokens, a temperature below 0 or not finite.
        """
        max_new_tokens = check_integer("max_new_tokens", max_new_tokens, minimum=0)
        if temperature != 0 or isinstance(temperature, bool):
            temperature = check_positive("temperature", temperature)
        self._check(tokens)
        if tokens.shape[1] == 0:
            raise ValueError(f"tokens must hold at least one token a row, got shape {tuple(tokens.shape)}")
        if segments is not None:
            check_positions(segments, tokens.shape[1], tokens.shape[0], name="segments")
            if (segments[..., -1] < 0).any():
                raise ValueError("segments must not end with padding, which is negative: padding belongs on the left")
        cache, newest = KeyValueCache(), tokens
        for _ in range(max_new_tokens):
            logits = self(newest, segments=segments, cache=cache)[:, -1]
            segments = None
            if temperature == 0:
                newest = logits.argmax(dim=-1, keepdim=True)
            else:
                newest = torch.multinomial((logits / temperature).softmax(dim=-1), 1, generator=generator)
            tokens = torch.cat([tokens, newest], dim=1)
        return tokens

    def _check(self, tokens: Tensor) -> None:
        check_tokens("tokens", tokens, self.vocab_size)


class _Block(nn.Module):
    def __init__(self, dim: int, num_heads: int, scheme: SchemeOrFactory) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(dim)
        self.attention = Attention(dim, num_heads, scheme=scheme)
        self.mlp_norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor, **where) -> Tensor:
        x = x + self.attention(self.attention_norm(x), **where)
        return x + self.mlp(self.mlp_norm(x))


def check_tokens(name: str, tokens: Tensor, vocab_size: int) -> None:
    """Tokens are integers [batch, length] in 0 … vocab_size-1."""
    if not isinstance(tokens, Tensor) or tokens.dtype not in (torch.int64, torch.int32):
        kind = tokens.dtype if isinstance(tokens, Tensor) else type(tokens).__name__
        raise TypeError(f"{name} must be a torch tensor of int64 or int32, got {kind}")
    if tokens.ndim != 2:
        raise ValueError(f"{name} must have shape [batch, length], got {tuple(tokens.shape)}")
    if torch.compiler.is_compiling():
        return
    outside = (tokens < 0) | (tokens >= vocab_size)
    if outside.any():
        raise ValueError(f"{name} must lie in 0 … {vocab_size - 1}, got {tokens[outside][0].item()}")


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
        if getattr(module, "bias", None) is not None:
            nn.init.zeros_(module.bias)
