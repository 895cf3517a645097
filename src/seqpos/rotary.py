"""The geometry door: queries and keys are turned by their positions, (R_i q)·(R_j k) = q·R_{j-i} k.

Su et al., RoFormer (2104.09864). Convention: pair m turns counter-clockwise by position · θ_m, with
θ_m = base^(-2m/dim). A pair is (2m, 2m+1) in the "interleaved" layout (GPT-J, the paper) and
(m, m + n) in the "half" layout (GPT-NeoX, Llama in Hugging Face's form), n being the number of pairs.
"""

from dataclasses import dataclass
from typing import Any

from jaxtyping import Bool, Float, Int, Integer, Shaped

from seqpos._arrays import (
    Array,
    Numbers,
    Real,
    as_array,
    check_broadcast,
    check_choice,
    check_integer,
    check_positive,
    floats,
    integers,
    namespace,
    reals,
    widest_float,
)

LAYOUTS = ("half", "interleaved")


@dataclass(frozen=True, slots=True, eq=False)
class RotaryFrequencies:
    """The frequencies of a rotary embedding, and what its sines and cosines are multiplied by.

    `inverse_frequencies` is a float64 NumPy array [pairs], in radians a position. `attention_factor`
    multiplies the sines and cosines of queries and of keys, and so scores by its square.

    Raises:
        TypeError: no real numbers. ValueError: frequencies that are not finite or have not exactly one axis; an
            `attention_factor` that is not a finite number above 0.
    """

    inverse_frequencies: Float[Array, " pairs"]
    attention_factor: Real = 1.0

    def __post_init__(self) -> None:
        xp, device = namespace()
        frequencies = xp.astype(reals("inverse_frequencies", self.inverse_frequencies, xp, device), xp.float64)
        if frequencies.ndim != 1 or not xp.all(xp.isfinite(frequencies)):
            raise ValueError(
                f"inverse_frequencies must be finite numbers [pairs], got {self.inverse_frequencies!r}"
            )
        object.__setattr__(self, "inverse_frequencies", frequencies)
        object.__setattr__(self, "attention_factor", check_positive("attention_factor", self.attention_factor))


def geometric_frequencies(count: int, exponent_step: float, base: Real, xp: Any, device: Any) -> Array:
    """base^(-m · exponent_step) for m = 0 … count-1: the ladder that sinusoids and RoPE share."""
    pair = xp.arange(count, dtype=widest_float(xp, device), device=device)
    return base ** (-exponent_step * pair)


def inverse_frequencies(dim: int, *, base: Real = 10_000.0) -> Float[Array, "{dim//2}"]:
    """The frequencies θ_m = base^(-2m/dim), in radians a position.

    Args:
        dim: the number of dimensions that turn, even.
        base: how far the ladder of frequencies reaches; a larger base makes the slowest pair slower.

    Returns:
        float64 NumPy array [dim/2]; the first is 1, the last base^(-(dim-2)/dim).

    Raises:
        ValueError: `dim` is odd or below 2; `base` is not a finite number above 0.

    Source: Su et al. (2104.09864), section 3.2.2.

    >>> inverse_frequencies(8).tolist()
    [1.0, 0.1, 0.01, 0.001]
    """
    dim = check_integer("dim", dim, minimum=2, even=True)
    base = check_positive("base", base)
    xp, device = namespace()
    return geometric_frequencies(dim // 2, 2 / dim, base, xp, device)


def rotary_angles(
    positions: Integer[Array, "*shape"] | Numbers,
    inverse_frequencies: Float[Array, " pairs"] | Numbers,
) -> Float[Array, "*shape pairs"]:
    """How far each pair has turned at each position: position · θ_m, in radians.

    Args:
        positions: integers of any sign and any shape.
        inverse_frequencies: radians a position, [pairs].

    Returns:
        [..., pairs], float64 (float32 on a device without float64).

    Raises:
        TypeError: `positions` are not integers.
        ValueError: `inverse_frequencies` has not exactly one axis.

    >>> rotary_angles([0, 3], inverse_frequencies(4)).tolist()
    [[0.0, 0.0], [3.0, 0.03]]
    """
    xp, device = namespace(positions, inverse_frequencies)
    positions = integers("positions", positions, xp, device)
    frequencies = reals("inverse_frequencies", inverse_frequencies, xp, device)
    if frequencies.ndim != 1:
        raise ValueError(f"inverse_frequencies must have one axis [pairs], got shape {tuple(frequencies.shape)}")
    wide = widest_float(xp, device)
    return xp.astype(positions, wide)[..., None] * xp.astype(frequencies, wide)


def rotate(
    x: Float[Array, "... dim"],
    angles: Float[Array, "... pairs"] | Numbers,
    *,
    layout: str = "half",
    out: Float[Array, "... dim"] | None = None,
) -> Float[Array, "... dim"]:
    """Turn pairs of dimensions of `x` counter-clockwise by `angles`: the vector form of RoPE.

    n angles turn the first 2n dimensions; the rest pass unchanged (partial rotation). Sines and
    cosines are taken in the precision of `angles`, the products in float32 (float64 for float64 `x`),
    and the result is rounded once to the dtype of `x`. To undo a rotation, turn by `-angles`.

    Args:
        x: queries or keys [..., dim], of a floating-point type.
        angles: radians [..., pairs]; leading axes broadcast against those of `x`, so angles of
            [length, pairs] serve `x` of [batch, heads, length, dim].
        layout: "half" pairs m with m + n, "interleaved" pairs 2m with 2m + 1.
        out: where to write; of the result's shape, dtype and library. It may be `x` itself.

    Returns:
        [..., dim], the kind, device and dtype of `x`; `out` if it was given.

    Raises:
        TypeError: `x` or `out` is not a floating-point array.
        ValueError: more pairs than dim/2, shapes that do not broadcast, an unknown layout, an `out`
            of another shape or dtype.

    Source: Su et al. (2104.09864), equation 34.

    >>> import numpy as np
    >>> rotate(np.array([1.0, 0.0]), [np.pi / 2]).round(6).tolist()
    [0.0, 1.0]
    """
    check_choice("layout", layout, LAYOUTS)
    xp, device = namespace(x, angles, out)
    x = floats("x", x, xp, device)
    angles = reals("angles", angles, xp, device)
    if x.ndim < 1 or angles.ndim < 1:
        raise ValueError(
            f"x and angles must have at least one axis, got shapes {tuple(x.shape)} and {tuple(angles.shape)}"
        )
    dim, pairs = x.shape[-1], angles.shape[-1]
    if 2 * pairs > dim:
        raise ValueError(f"angles must hold at most dim/2 pairs: x has dim {dim}, angles have {pairs} pairs")
    lead = check_broadcast(x=x.shape[:-1], angles=angles.shape[:-1])
    result = _turn(x, xp.cos(angles), xp.sin(angles), layout, lead, xp)
    return result if out is None else _write(result, out)


def _turn(x: Array, cos: Array, sin: Array, layout: str, lead: tuple[int, ...], xp: Any) -> Array:
    """The products of `rotate`, for checked arguments and ready tables of cosines and sines."""
    dim, pairs = x.shape[-1], cos.shape[-1]
    precise = xp.float64 if x.dtype == xp.float64 else xp.float32
    cos, sin = xp.astype(cos, precise), xp.astype(sin, precise)
    turned, tail = xp.astype(x[..., : 2 * pairs], precise), x[..., 2 * pairs :]
    if layout == "half":
        first, second = turned[..., :pairs], turned[..., pairs:]
    else:
        first, second = turned[..., 0::2], turned[..., 1::2]
    new_first, new_second = first * cos - second * sin, first * sin + second * cos
    if layout == "half":
        turned = xp.concat([new_first, new_second], axis=-1)
    else:
        turned = xp.reshape(xp.stack([new_first, new_second], axis=-1), (*lead, 2 * pairs))
    turned = xp.astype(turned, x.dtype)
    if 2 * pairs == dim:
        return turned
    return xp.concat([turned, xp.broadcast_to(tail, (*lead, dim - 2 * pairs))], axis=-1)


def _write(result: Array, out: Array) -> Array:
    """Copy `result` into `out`. `result` is new memory, so `out` may overlap what it was made from."""
    if type(out) is not type(result):
        raise TypeError(f"out must be a {type(result).__name__} like x, got {type(out).__name__}")
    if tuple(out.shape) != tuple(result.shape) or out.dtype != result.dtype:
        raise ValueError(
            f"out must have shape {tuple(result.shape)} and dtype {result.dtype}, "
            f"got {tuple(out.shape)} and {out.dtype}"
        )
    try:
        out[...] = result
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"out must be writable, got an array that is not: {error}") from None
    return out


def rotation_matrix(
    angles: Float[Array, "*shape pairs"] | Numbers, *, layout: str = "half"
) -> Float[Array, "*shape dim dim"]:
    """The rotation as a matrix: diag(cos) + diag(sin) J, where J is the quarter turn of every pair.

    `rotation_matrix(a) @ x` equals `rotate(x, a)` and costs dim times as much.

    Args:
        angles: radians [..., pairs].
        layout: "half" or "interleaved", as in `rotate`.

    Returns:
        [..., dim, dim] with dim = 2 · pairs, of the dtype of `angles`. Columns are vectors.

    Raises:
        TypeError: `angles` are not real numbers.
        ValueError: an unknown layout; `angles` without an axis.

    Source: Su et al. (2104.09864), equation 15.

    >>> rotation_matrix([3.141592653589793 / 2]).round(6).tolist()
    [[0.0, -1.0], [1.0, 0.0]]
    """
    check_choice("layout", layout, LAYOUTS)
    xp, device = namespace(angles)
    angles = reals("angles", angles, xp, device)
    if angles.ndim < 1:
        raise ValueError("angles must have at least one axis [..., pairs], got a single number")
    pairs = angles.shape[-1]
    if layout == "half":
        index = xp.arange(pairs, device=device)
        first, second = index, index + pairs
        over_rows = xp.concat([angles, angles], axis=-1)
    else:
        index = xp.arange(0, 2 * pairs, 2, device=device)
        first, second = index, index + 1
        over_rows = xp.repeat(angles, 2, axis=-1)
    every = xp.arange(2 * pairs, device=device)
    at_first = xp.astype(first[:, None] == every, angles.dtype)
    at_second = xp.astype(second[:, None] == every, angles.dtype)
    quarter_turn = at_second.T @ at_first - at_first.T @ at_second
    identity = xp.eye(2 * pairs, dtype=angles.dtype, device=device)
    return xp.cos(over_rows)[..., None] * identity + xp.sin(over_rows)[..., None] * quarter_turn


def convert_layout(
    weight: Shaped[Array, "rows *columns"],
    *,
    source: str,
    target: str,
    num_heads: int,
    rotary_dim: int | None = None,
) -> Shaped[Array, "rows *columns"]:
    """Reorder the rows of a query or key projection (or its bias) from one layout to the other.

    The scores of the model stay what they were, if queries and keys are both converted. With
    grouped-query attention the key projection has fewer heads: pass its own number.

    Args:
        weight: [num_heads · head_dim, in], or the bias [num_heads · head_dim].
        source: the layout the weights were trained in, "interleaved" or "half".
        target: the layout they shall run in.
        num_heads: heads of this projection.
        rotary_dim: how many dimensions of each head turn (default: all); the rest keep their place.

    Returns:
        an array of the same shape, dtype and kind.

    Raises:
        ValueError: an unknown layout, rows that `num_heads` does not divide, a `rotary_dim` that is
            odd or larger than a head.

    >>> import numpy as np
    >>> convert_layout(np.arange(8), source="interleaved", target="half", num_heads=2).tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    check_choice("source", source, LAYOUTS)
    check_choice("target", target, LAYOUTS)
    num_heads = check_integer("num_heads", num_heads, minimum=1)
    xp, device = namespace(weight)
    weight = as_array("weight", weight, xp, device)
    if weight.ndim < 1 or weight.shape[0] % num_heads:
        raise ValueError(f"weight must have rows that num_heads = {num_heads} divides, got shape {tuple(weight.shape)}")
    rows = weight.shape[0]
    head_dim = rows // num_heads
    if rotary_dim is None:
        rotary_dim = head_dim
    rotary_dim = check_integer("rotary_dim", rotary_dim, minimum=0, even=True)
    if rotary_dim > head_dim:
        raise ValueError(f"rotary_dim must be at most the head's {head_dim} dimensions, got {rotary_dim}")
    if source == target:
        return weight
    order = xp.arange(rotary_dim, device=device)
    paired = (rotary_dim // 2, 2) if source == "interleaved" else (2, rotary_dim // 2)
    order = xp.reshape(xp.reshape(order, paired).T, (-1,))
    order = xp.concat([order, xp.arange(rotary_dim, head_dim, device=device)])
    starts = xp.arange(num_heads, device=device) * head_dim
    return xp.take(weight, xp.reshape(starts[:, None] + order, (-1,)), axis=0)


def positions_from_mask(mask: Bool[Array, "*shape"] | Integer[Array, "*shape"] | Numbers) -> Int[Array, "*shape"]:
    """Positions counted over real tokens only, for left or right padding.

    Args:
        mask: [..., length], 1 or True for a token, 0 or False for padding.

    Returns:
        int64 [..., length]; padding gets 0.

    Raises:
        ValueError: an entry is neither 0 nor 1, or `mask` has no axis.

    >>> positions_from_mask([0, 0, 1, 1, 1]).tolist()
    [0, 0, 0, 1, 2]
    """
    xp, device = namespace(mask)
    array = as_array("mask", mask, xp, device)
    empty = isinstance(mask, list | tuple) and 0 in array.shape  # NumPy takes an empty list for floats
    if not empty and not xp.isdtype(array.dtype, ("integral", "bool")):
        raise TypeError(f"mask must be integers or booleans, got dtype {array.dtype}")
    mask = xp.astype(array, xp.int64)
    if mask.ndim < 1 or xp.any((mask != 0) & (mask != 1)):
        raise ValueError(f"mask must have an axis [..., length] and hold 0 and 1 only, got {mask!r}")
    return xp.cumulative_sum(mask, axis=-1) * mask - mask


def positions_from_segments(segments: Integer[Array, "*shape"] | Numbers) -> Int[Array, "*shape"]:
    """Positions counted anew within each segment of a packed sequence.

    Args:
        segments: integers [..., length], one number a sequence; a negative one is padding. The
            tokens of a segment need not stand next to each other.

    Returns:
        int64 [..., length]; padding gets 0.

    Raises:
        TypeError: `segments` are not integers. ValueError: `segments` has no axis.

    >>> positions_from_segments([7, 7, 7, 2, 2, -1]).tolist()
    [0, 1, 2, 0, 1, 0]
    """
    xp, device = namespace(segments)
    segments = integers("segments", segments, xp, device)
    if segments.ndim < 1:
        raise ValueError("segments must have an axis [..., length], got a single number")
    if 0 in segments.shape:
        return xp.zeros_like(segments)
    rows = xp.reshape(segments, (-1, segments.shape[-1]))
    own_row = xp.arange(rows.shape[0], device=device)[:, None]
    names, number = xp.unique_inverse(rows)
    # Every (row, segment) gets a number; in sorted order its tokens stand together, in their own order.
    number = xp.reshape(xp.reshape(number, rows.shape) + own_row * names.shape[0], (-1,))
    order = xp.argsort(number, stable=True)
    rank = xp.argsort(order)
    start = xp.searchsorted(xp.take(number, order), number)
    positions = xp.reshape(rank - start, segments.shape)
    return xp.where(segments < 0, 0, positions)
