"""The input door as modules: a vector for each position is added to the token embedding."""

import torch
from torch import Tensor, nn

from seqpos._arrays import Real, check_choice, check_integer, check_positive
from seqpos.absolute import LAYOUTS, sinusoidal_embedding
from seqpos.nn.scheme import PositionScheme, check_positions, check_tensor


class SinusoidalEmbedding(PositionScheme):
    """Adds fixed sinusoids. Nothing is learned or stored, so any position will do.

    The sinusoids are added as they are, with a root mean square of 0.71. Token embeddings should be of that size too
    (the paper multiplies its own by √dim): much smaller ones are drowned, and training starts late.

    Args:
        dim: the model's width.
        base, layout: as in `seqpos.sinusoidal_embedding`.

    Raises:
        TypeError, ValueError: as in `seqpos.sinusoidal_embedding`.

    Source: Vaswani et al. (1706.03762), section 3.5.

    >>> code = SinusoidalEmbedding(4).embed(torch.zeros(1, 1, 4), torch.tensor([1]))
    >>> [round(entry, 4) for entry in code[0, 0].tolist()]
    [0.8415, 0.5403, 0.01, 0.9999]
    """

    def __init__(self, dim: int, *, base: Real = 10_000.0, layout: str = "interleaved") -> None:
        super().__init__()
        self.dim = check_integer("dim", dim, minimum=1)
        self.base = check_positive("base", base)
        self.layout = check_choice("layout", layout, LAYOUTS)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_tensor("x", x, "batch", "length", self.dim)
        check_positions(positions, x.shape[-2], x.shape[0])
        added = sinusoidal_embedding(positions, self.dim, base=self.base, layout=self.layout)
        return x + added.to(device=x.device, dtype=x.dtype)


class LearnedEmbedding(PositionScheme):
    """Adds a learned row for each position, and so ends where its table ends.

    Args:
        max_positions: rows of the table; positions 0 … max_positions-1 have one.
        dim: the model's width.

    Raises:
        ValueError: at `embed`, a position outside the table (where compiled, an assertion on the device).

    Source: Gehring et al. (1705.03122), Devlin et al. (1810.04805).

    >>> LearnedEmbedding(512, 4).embed(torch.zeros(1, 1, 4), torch.tensor([512]))
    Traceback (most recent call last):
    ValueError: positions must lie in 0 … 511, the rows of the learned table of 512, got 512
    """

    def __init__(self, max_positions: int, dim: int) -> None:
        super().__init__()
        self.max_positions = check_integer("max_positions", max_positions, minimum=1)
        self.dim = check_integer("dim", dim, minimum=1)
        self.table = nn.Parameter(torch.empty(max_positions, dim))
        nn.init.normal_(self.table, std=0.02)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        check_tensor("x", x, "batch", "length", self.dim)
        check_positions(positions, x.shape[-2], x.shape[0])
        outside = (positions < 0) | (positions >= self.max_positions)
        if torch.compiler.is_compiling():
            torch._assert_async(~outside.any(), f"positions must lie in 0 … {self.max_positions - 1}")
        elif outside.any():
            raise ValueError(
                f"positions must lie in 0 … {self.max_positions - 1}, the rows of the learned table of "
                f"{self.max_positions}, got {positions[outside][0].item()}"
            )
        return x + self.table[positions]
