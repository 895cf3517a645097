"""The geometry door as a module: queries and keys are turned, values never."""

import torch
from torch import Tensor

from seqpos._arrays import Real, check_choice, check_integer
from seqpos.nn.scheme import PositionScheme, check_positions, check_tensor
from seqpos.rotary import LAYOUTS, RotaryFrequencies, inverse_frequencies, rotary_angles, rotate


class RotaryEmbedding(PositionScheme):
    """RoPE. Holds its frequencies as plain numbers, so no cast and no state dict can touch them.

    Args:
        head_dim: width of a head, even.
        base: of the frequencies of all head_dim/2 pairs (10 000 if neither it nor `frequencies` is given).
        layout: "half" or "interleaved", as in `seqpos.rotate`.
        frequencies: any `RotaryFrequencies` instead of a base; with fewer than head_dim/2 frequencies the
            last dimensions stay unturned (partial rotation).

    Raises:
        ValueError: both `base` and `frequencies`; too many frequencies; an odd `head_dim`.

    Source: Su et al. (2104.09864).

    >>> rope = RotaryEmbedding(2)
    >>> q, k = rope(torch.tensor([[[[1.0, 0.0]]]]), torch.tensor([[[[1.0, 0.0]]]]), positions=torch.tensor([1]))
    >>> q.round(decimals=3).tolist()
    [[[[0.5400000214576721, 0.8410000205039978]]]]
    """

    def __init__(
        self,
        head_dim: int,
        *,
        base: Real | None = None,
        layout: str = "half",
        frequencies: RotaryFrequencies | None = None,
    ) -> None:
        super().__init__()
        self.head_dim = check_integer("head_dim", head_dim, minimum=2, even=True)
        self.layout = check_choice("layout", layout, LAYOUTS)
        if frequencies is None:
            frequencies = RotaryFrequencies(inverse_frequencies(head_dim, base=10_000.0 if base is None else base))
        elif base is not None:
            raise ValueError(f"base and frequencies exclude each other, got base = {base} and frequencies")
        elif not isinstance(frequencies, RotaryFrequencies):
            raise TypeError(f"frequencies must be RotaryFrequencies, got {type(frequencies).__name__}")
        self.inverse_frequencies = tuple(float(theta) for theta in frequencies.inverse_frequencies)
        self.attention_factor = float(frequencies.attention_factor)
        if 2 * len(self.inverse_frequencies) > head_dim:
            raise ValueError(
                f"frequencies must hold at most head_dim/2 = {head_dim // 2} pairs, got {len(self.inverse_frequencies)}"
            )

    def forward(self, q: Tensor, k: Tensor, *, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Both turned: q and k [batch, heads, length, head_dim]; k may have fewer heads."""
        return self.rotate_queries(q, positions), self.rotate_keys(k, positions)

    def rotate_queries(self, q: Tensor, positions: Tensor) -> Tensor:
        return self._turn(q, positions, "q")

    def rotate_keys(self, k: Tensor, positions: Tensor) -> Tensor:
        return self._turn(k, positions, "k")

    def _turn(self, x: Tensor, positions: Tensor, name: str) -> Tensor:
        check_tensor(name, x, "batch", "heads", "length", self.head_dim)
        check_positions(positions, x.shape[-2], x.shape[0])
        wide = torch.float32 if x.device.type == "mps" else torch.float64
        frequencies = torch.tensor(self.inverse_frequencies, dtype=wide, device=x.device)
        angles = rotary_angles(positions.to(x.device), frequencies)
        if positions.ndim == 2:
            angles = angles[:, None]
        if self.attention_factor == 1.0:
            return rotate(x, angles, layout=self.layout)
        # The factor belongs to the sines and cosines: dimensions that do not turn keep their length.
        turned = rotate(x.to(torch.promote_types(x.dtype, torch.float32)), angles, layout=self.layout)
        turned, tail = turned.tensor_split([2 * angles.shape[-1]], dim=-1)
        return torch.cat([turned * self.attention_factor, tail], dim=-1).to(x.dtype)
