"""The input door: each position i has a vector p_i of its own, added to the token, x_i + p_i.

Vaswani et al. (1706.03762), section 3.5. Convention: columns 2m and 2m+1 are the sine and the cosine
of position · θ_m, with θ_m = base^(-2m/dim); the "concatenated" layout holds the same columns, sines first.
"""

from jaxtyping import Float, Integer

from seqpos._arrays import Array, Numbers, Real, check_choice, check_integer, check_positive, integers, namespace
from seqpos.rotary import geometric_frequencies, inverse_frequencies, rotary_angles, rotation_matrix

LAYOUTS = ("interleaved", "concatenated")
DENOMINATORS = ("dim", "dim/2-1")


def positional_embedding(position: int, d_model: int = 1024) -> Float[Array, "{d_model}"]:
    """The classic one-position function: entry n is the sine (n even) or cosine (n odd) of
    position / 10000^(2·⌊n/2⌋/d_model).

    Args:
        position: an integer.
        d_model: the size of the vector, at least 1; an odd size ends with a sine.

    Returns:
        float64 NumPy array [d_model].

    Raises:
        TypeError: an argument is not an integer. ValueError: `d_model` is below 1.

    Source: Vaswani et al. (1706.03762), section 3.5.

    >>> positional_embedding(1, 4).round(7).tolist()
    [0.841471, 0.5403023, 0.0099998, 0.99995]
    """
    d_model = check_integer("d_model", d_model, minimum=1)
    return sinusoidal_embedding(check_integer("position", position), d_model)


def sinusoidal_embedding(
    positions: Integer[Array, "*shape"] | Numbers,
    dim: int,
    *,
    base: Real = 10_000.0,
    layout: str = "interleaved",
    denominator: str = "dim",
) -> Float[Array, "*shape {dim}"]:
    """Sines and cosines of every position at a ladder of frequencies.

    Args:
        positions: integers of any sign and any shape.
        dim: the size of a vector, any from 1; an odd size has one sine more than cosines.
        base: the ladder runs from frequency 1 down to about 1/base.
        layout: "interleaved" (sine, cosine, sine, …) or "concatenated" (all sines, then all cosines).
        denominator: "dim" as in the paper; "dim/2-1" as in tensor2tensor and fairseq, whose
            frequencies base^(-m/(dim/2-1)) end at exactly 1/base. It needs an even dim of at least 4.

    Returns:
        [..., dim], float64 (float32 on a device without float64), every entry in [-1, 1].

    Raises:
        TypeError: `positions` are not integers.
        ValueError: `dim`, `base`, `layout` or `denominator` is not one of the allowed.

    Source: Vaswani et al. (1706.03762), section 3.5.

    >>> sinusoidal_embedding([0, 1], 4).round(5).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84147, 0.5403, 0.01, 0.99995]]
    """
    dim = check_integer("dim", dim, minimum=1)
    base = check_positive("base", base)
    check_choice("layout", layout, LAYOUTS)
    check_choice("denominator", denominator, DENOMINATORS)
    if denominator == "dim/2-1" and (dim % 2 or dim < 4):
        raise ValueError(f'dim must be even and at least 4 with denominator="dim/2-1", got {dim}')
    xp, device = namespace(positions)
    positions = integers("positions", positions, xp, device)
    sines, cosines = (dim + 1) // 2, dim // 2
    step = 2 / dim if denominator == "dim" else 1 / (dim // 2 - 1)
    angles = rotary_angles(positions, geometric_frequencies(sines, step, base, xp, device))
    sin, cos = xp.sin(angles), xp.cos(angles)
    if layout == "concatenated":
        return xp.concat([sin, cos[..., :cosines]], axis=-1)
    return xp.reshape(xp.stack([sin, cos], axis=-1), (*positions.shape, 2 * sines))[..., :dim]


def shift_matrix(offset: int, dim: int, *, base: Real = 10_000.0) -> Float[Array, "{dim} {dim}"]:
    """The matrix that moves every position by `offset`: p(i + offset) = shift_matrix(offset) @ p(i).

    It depends on the offset alone. On each (sine, cosine) pair it is a rotation by -offset · θ_m.

    Args:
        offset: an integer of any sign.
        dim: the size of the embedding, even (a last sine without its cosine cannot be shifted).
        base: as in `sinusoidal_embedding`, whose interleaved layout this is for.

    Returns:
        float64 NumPy array [dim, dim].

    Raises:
        TypeError: `offset` or `dim` is not an integer. ValueError: `dim` is odd or below 2.

    Source: Vaswani et al. (1706.03762), section 3.5, where it is stated; the proof is in chapter 3.

    >>> import numpy as np
    >>> moved = shift_matrix(5, 8) @ positional_embedding(2, 8)
    >>> bool(np.allclose(moved, positional_embedding(7, 8)))
    True
    """
    offset = check_integer("offset", offset)
    angles = rotary_angles(offset, inverse_frequencies(dim, base=base))
    return rotation_matrix(-angles, layout="interleaved")
