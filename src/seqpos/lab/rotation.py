"""How long a rotation takes: a matrix for each position, or four products for each pair.

The two forms of `seqpos.rotary` side by side, and the vector form compiled, on whatever device torch sees.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from array_api_compat import torch as torch_namespace
from torch import Tensor

from seqpos._arrays import check_choice, check_integer
from seqpos.lab.table import Table
from seqpos.lab.threads import use_threads
from seqpos.lab.timing import best_device, device_name, median_seconds
from seqpos.rotary import LAYOUTS, _turn, inverse_frequencies, rotary_angles, rotation_matrix

FORMS = ("matrix", "vector", "vector, compiled")
PASSES = ("forward", "forward and backward")
_DEFAULT_LENGTHS = {"cpu": (256, 512, 1024, 2048), "mps": (512, 1024, 2048, 4096), "cuda": (1024, 2048, 4096, 8192)}


@dataclass(frozen=True)
class RotationTimes:
    """What `compare_rotations` measured.

    `seconds[what][form][n]` is the median of one call at `lengths[n]`, `what` being one of `PASSES`; a form that
    could not run is absent. `table_bytes[form][n]` is the memory of the matrices or of the sines and cosines.
    `note` is one line on what could not run, or None.
    """

    device: str
    lengths: tuple[int, ...]
    seconds: dict[str, dict[str, list[float]]]
    table_bytes: dict[str, list[int]]
    note: str | None

    def table(self) -> Table:
        """Milliseconds by length, a column for each form and pass."""
        columns = ["length", *(f"{form}, {what} (ms)" for what in self.seconds for form in self.seconds[what])]
        times = [series for by_form in self.seconds.values() for series in by_form.values()]
        rows = [[length, *(1e3 * series[n] for series in times)] for n, length in enumerate(self.lengths)]
        return Table(columns, rows, digits=3)


def compare_rotations(
    *,
    device: torch.device | str | None = None,
    lengths: Sequence[int] | None = None,
    batch: int = 1,
    num_heads: int = 4,
    head_dim: int = 128,
    dtype: torch.dtype = torch.float32,
    layout: str = "half",
    repeats: int = 7,
    warmup: int = 2,
    threads: int = 1,
    compile: bool = True,
) -> RotationTimes:
    """Time the matrix form, the vector form and the compiled vector form, forward and backward.

    The matrices, and the tables of sines and cosines, are made before the clock starts, and so is what is
    compiled. One matrix serves all heads and sequences: the matrix form is one batched product over positions.
    Code that torch compiled before is forgotten, so that its limit on recompilations is not met.

    Args:
        device: where to run (default: the GPU if there is one, else the CPU).
        lengths: positions to turn (default: four lengths that suit the device).
        batch, num_heads, head_dim: the rest of the shape [batch, num_heads, length, head_dim].
        dtype: of what is turned and of the matrices. Tables of sines and cosines are float32 (float64 for float64).
        layout: "half" or "interleaved".
        repeats, warmup: as in `median_seconds`.
        compile: whether to run the compiled form too.
        threads: CPU threads while the clock runs, put back afterwards. One, by default: with more, the many
            short steps of the vector form wait for a core whenever another program holds one.

    Returns:
        `RotationTimes`; the compiled form is absent, and `note` says why, where torch cannot compile.

    Raises:
        ValueError: a length below 1, an odd `head_dim`, an unknown layout. TypeError: `dtype` is not floating.

    >>> times = compare_rotations(device="cpu", lengths=[4], head_dim=8, repeats=1, warmup=0, compile=False)
    >>> times.table_bytes["matrix"], times.table_bytes["vector"]
    ([1024], [128])
    """
    device = best_device() if device is None else torch.device(device)
    lengths = tuple(_DEFAULT_LENGTHS.get(device.type, _DEFAULT_LENGTHS["cpu"]) if lengths is None else lengths)
    for length in lengths:
        check_integer("lengths", length, minimum=1)
    check_choice("layout", layout, LAYOUTS)
    if not dtype.is_floating_point:
        raise TypeError(f"dtype must be a floating-point type, got {dtype}")
    frequencies = inverse_frequencies(head_dim)
    seconds: dict[str, dict[str, list[float]]] = {what: {} for what in PASSES}
    table_bytes: dict[str, list[int]] = {"matrix": [], "vector": []}
    note = None
    with use_threads(threads), warnings.catch_warnings():
        # Advice from the compiler is for its users, not for a reader of a comparison.
        warnings.simplefilter("ignore")
        torch.compiler.reset()
        compiled: Callable | None = torch.compile(_vector_form) if compile else None
        name = device_name(device)
        for length in lengths:
            x = torch.randn(batch, num_heads, length, head_dim, device=device, dtype=dtype, requires_grad=True)
            upstream = torch.randn_like(x)
            cos, sin, matrices = _tables(length, frequencies, device, dtype, layout)
            table_bytes["matrix"].append(matrices.nbytes)
            table_bytes["vector"].append(cos.nbytes + sin.nbytes)
            forms: dict[str, Callable[[], Tensor]] = {
                "matrix": lambda x=x, matrices=matrices: _matrix_form(x, matrices),
                "vector": lambda x=x, cos=cos, sin=sin: _vector_form(x, cos, sin, layout),
            }
            if compiled is not None:
                forms["vector, compiled"] = lambda run=compiled, x=x, cos=cos, sin=sin: run(x, cos, sin, layout)
                try:
                    torch.autograd.grad(forms["vector, compiled"](), x, upstream)
                except RuntimeError as error:
                    note = f"torch.compile does not work here ({type(error).__name__}): the other two forms run without it."
                    compiled = None
                    del forms["vector, compiled"]
                    for by_form in seconds.values():
                        by_form.pop("vector, compiled", None)
            both = {form: _with_backward(turn, x, upstream) for form, turn in forms.items()}
            for what, functions in zip(PASSES, (forms, both), strict=True):
                taken = median_seconds(functions, repeats=repeats, warmup=warmup, device=device)
                for form, median in taken.items():
                    seconds[what].setdefault(form, []).append(median)
    return RotationTimes(name, lengths, seconds, table_bytes, note)


def _tables(length: int, frequencies, device: torch.device, dtype: torch.dtype, layout: str) -> tuple[Tensor, Tensor, Tensor]:
    """cos and sin [length, pairs], matrices [length, dim, dim]."""
    angles = rotary_angles(torch.arange(length, device=device), frequencies)
    precise = torch.float64 if dtype == torch.float64 else torch.float32
    return angles.cos().to(precise), angles.sin().to(precise), rotation_matrix(angles.to(precise), layout=layout).to(dtype)


def _matrix_form(x: Tensor, matrices: Tensor) -> Tensor:
    return torch.einsum("lde,bhle->bhld", matrices, x)


def _vector_form(x: Tensor, cos: Tensor, sin: Tensor, layout: str) -> Tensor:
    return _turn(x, cos, sin, layout, x.shape[:-1], torch_namespace)


def _with_backward(turn: Callable[[], Tensor], x: Tensor, upstream: Tensor) -> Callable[[], tuple[Tensor, ...]]:
    return lambda: torch.autograd.grad(turn(), x, upstream)
