"""The score door: a position scheme adds a term β to q_i·k_j/√D that knows only r = j - i.

r is the key's position minus the query's, so a negative r looks back (T5's sign, everywhere here).
Shaw et al. (1803.02155), Dai et al. (Transformer-XL, 1901.02860), Raffel et al. (T5, 1910.10683),
Press et al. (ALiBi, 2108.12409). What is returned is added to scores that are already scaled by 1/√D.
"""

import math
from bisect import bisect_left
from functools import cache

from jaxtyping import Float, Int, Integer

from seqpos._arrays import (
    Array,
    Numbers,
    Real,
    check_axis,
    check_broadcast,
    check_flag,
    check_integer,
    check_positive,
    check_shape,
    floats,
    floats_alike,
    integers,
    namespace,
    take_along_last,
    widest_float,
)
from seqpos.absolute import sinusoidal_embedding
from seqpos.rotary import geometric_frequencies, rotary_angles, rotate


def relative_positions(
    query_positions: Integer[Array, "*batch q"] | Numbers, key_positions: Integer[Array, "*batch k"] | Numbers
) -> Int[Array, "*batch q k"]:
    """r = j - i for every query i and key j.

    Args:
        query_positions: integers [..., q].
        key_positions: integers [..., k].

    Returns:
        int64 [..., q, k], key minus query.

    Raises:
        TypeError: positions that are not integers. ValueError: positions without an axis.

    >>> relative_positions([0, 1, 2], [0, 1, 2]).tolist()
    [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]]
    """
    xp, device = namespace(query_positions, key_positions)
    queries = integers("query_positions", query_positions, xp, device)
    keys = integers("key_positions", key_positions, xp, device)
    for name, array in (("query_positions", queries), ("key_positions", keys)):
        if array.ndim < 1:
            raise ValueError(f"{name} must have an axis [..., length], got a single number")
    check_broadcast(query_positions=queries.shape[:-1], key_positions=keys.shape[:-1])
    return keys[..., None, :] - queries[..., :, None]


def t5_borders(bidirectional: bool, num_buckets: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance of each of one direction's buckets but the first, in exact integers.

    `T5Bias` keeps them, since a compiler does not trace the search.
    """
    bidirectional = check_flag("bidirectional", bidirectional)
    num_buckets = check_integer("num_buckets", num_buckets, minimum=4 if bidirectional else 2, even=bidirectional)
    one_way = num_buckets // 2 if bidirectional else num_buckets
    exact = one_way // 2
    max_distance = check_integer("max_distance", max_distance)
    if not exact < max_distance <= 2**62:
        raise ValueError(
            f"max_distance must exceed the exact range of {exact} and be at most 2**62, got {max_distance}"
        )
    return (*range(1, exact + 1), *_t5_thresholds(exact, one_way - exact, max_distance))


@cache
def _t5_thresholds(exact: int, logarithmic: int, max_distance: int) -> tuple[int, ...]:
    """The smallest distance of each logarithmic bucket but the first.

    Bucket `exact + t` begins at the smallest n with (n/exact)^logarithmic ≥ (max_distance/exact)^t.
    """
    def border(t: int) -> int:
        goal = max_distance**t * exact ** (logarithmic - t)
        return exact + bisect_left(range(exact, max_distance), goal, key=lambda n: n**logarithmic)

    return tuple(border(t) for t in range(1, logarithmic))


def t5_bucket(
    relative_position: Integer[Array, "*shape"] | Numbers,
    *,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Int[Array, "*shape"]:
    """T5's bucket of each relative position: one bucket a distance when near, wider ones when far.

    The borders are found in exact integers, so no rounding of a logarithm can move one.

    Args:
        relative_position: integers of any shape, key minus query.
        bidirectional: half of the buckets for keys after the query, half for keys before it; otherwise
            keys after the query all fall into bucket 0.
        num_buckets: how many; at least 2, and even and at least 4 when bidirectional.
        max_distance: from here on all distances share the last bucket; above the exact range, which is
            half of one direction's buckets.

    Returns:
        int64 of the same shape, in 0 … num_buckets-1.

    Raises:
        TypeError: `relative_position` is not integers.
        ValueError: `num_buckets` or `max_distance` out of range.

    Source: Raffel et al. (1910.10683), section 2.1, and the authors' published code.

    >>> t5_bucket([0, 1, 8, 12, -90, -91]).tolist()
    [0, 17, 24, 25, 14, 15]
    """
    borders = t5_borders(bidirectional, num_buckets, max_distance)
    xp, device = namespace(relative_position)
    return _bucket_between(borders, integers("relative_position", relative_position, xp, device), bidirectional)


def _bucket_between(borders: tuple[int, ...], relative: Array, bidirectional: bool) -> Array:
    xp, device = namespace(relative)
    # Clipped before the sign is dropped: the most negative integer has no positive counterpart.
    farthest = borders[-1]
    relative = xp.clip(relative, -farthest, farthest)
    distance = xp.abs(relative) if bidirectional else xp.clip(-relative, 0, farthest)
    starts = xp.asarray(list(borders), dtype=xp.int64, device=device)
    flat = xp.searchsorted(starts, xp.reshape(distance, (-1,)), side="right")
    bucket = xp.astype(xp.reshape(flat, relative.shape), xp.int64)
    return xp.where(relative > 0, bucket + len(borders) + 1, bucket) if bidirectional else bucket


def t5_bias(
    query_positions: Integer[Array, "*batch q"] | Numbers,
    key_positions: Integer[Array, "*batch k"] | Numbers,
    table: Float[Array, "buckets heads"],
    *,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Float[Array, "*batch heads q k"]:
    """T5's bias: a learned number for each head and bucket of the relative position.

    Args:
        query_positions, key_positions: integers [..., q] and [..., k].
        table: the learned numbers [buckets, heads].
        bidirectional, max_distance: as in `t5_bucket`.

    Returns:
        [..., heads, q, k], the dtype of `table`. T5 itself does not scale scores by 1/√D.

    Raises:
        TypeError, ValueError: as in `t5_bucket`; `table` without two axes.

    Source: Raffel et al. (1910.10683), section 2.1.

    >>> import numpy as np
    >>> t5_bias([0, 1], [0, 1], np.arange(4.0)[:, None]).tolist()
    [[[0.0, 3.0], [1.0, 0.0]]]
    """
    xp, device = namespace(table, query_positions, key_positions)
    table = floats("table", table, xp, device)
    if table.ndim != 2:
        raise ValueError(f"table must have two axes [buckets, heads], got shape {tuple(table.shape)}")
    bidirectional = check_flag("bidirectional", bidirectional)
    check_integer("table's rows", table.shape[0], minimum=4 if bidirectional else 2, even=bidirectional)
    borders = t5_borders(bidirectional, table.shape[0], max_distance)
    return t5_bias_between(borders, query_positions, key_positions, table, bidirectional=bidirectional)


def t5_bias_between(
    borders: tuple[int, ...], query_positions: Array, key_positions: Array, table: Array, *, bidirectional: bool
) -> Array:
    """`t5_bias` for borders that are known already."""
    xp, device = namespace(table, query_positions, key_positions)
    relative = relative_positions(
        integers("query_positions", query_positions, xp, device), integers("key_positions", key_positions, xp, device)
    )
    bucket = _bucket_between(borders, relative, bidirectional)
    chosen = xp.take(table, xp.reshape(bucket, (-1,)), axis=0)
    return xp.moveaxis(xp.reshape(chosen, (*bucket.shape, table.shape[1])), -1, -3)


def alibi_slopes(num_heads: int) -> Float[Array, "{num_heads}"]:
    """ALiBi's slope of each head: 2^(-8h/H) for h = 1 … H when H is a power of two.

    For any other H: the slopes of the largest power of two below, then every other slope of the next
    one, as in the authors' code.

    Args:
        num_heads: at least 1.

    Returns:
        float64 NumPy array [num_heads].

    Raises:
        TypeError, ValueError: `num_heads` is not an integer of at least 1.

    Source: Press et al. (2108.12409), section 3.

    >>> alibi_slopes(6).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125]
    """
    xp, _ = namespace()
    return xp.asarray(_alibi_slopes(num_heads), dtype=xp.float64)


def _alibi_slopes(num_heads: int) -> list[float]:
    num_heads = check_integer("num_heads", num_heads, minimum=1)
    power = 2 ** (num_heads.bit_length() - 1)
    between = range(1, 2 * (num_heads - power), 2)
    slopes = [2.0 ** (-8 * head / power) for head in range(1, power + 1)]
    return slopes + [2.0 ** (-4 * head / power) for head in between]


def alibi_bias(
    query_positions: Integer[Array, "*batch q"] | Numbers,
    key_positions: Integer[Array, "*batch k"] | Numbers,
    num_heads: int,
) -> Float[Array, "*batch {num_heads} q k"]:
    """ALiBi's bias: -slope · |j - i|, a penalty that grows with distance, nothing learned.

    Args:
        query_positions, key_positions: integers [..., q] and [..., k]; distances are counted from the
            query's own position, so one query of a cached decode gets its row of the full pass.
        num_heads: at least 1.

    Returns:
        [..., heads, q, k], float64 (float32 on a device without it).

    Raises:
        TypeError, ValueError: as in `relative_positions` and `alibi_slopes`.

    Source: Press et al. (2108.12409), section 3.

    >>> alibi_bias([2], [0, 1, 2], 1).tolist()
    [[[-0.0078125, -0.00390625, 0.0]]]
    """
    xp, device = namespace(query_positions, key_positions)
    slopes = xp.asarray(_alibi_slopes(num_heads), dtype=widest_float(xp, device), device=device)
    # The sign is dropped in floating point: the most negative integer has no positive counterpart.
    distance = xp.abs(xp.astype(relative_positions(query_positions, key_positions), slopes.dtype))
    return 0.0 - slopes[:, None, None] * distance[..., None, :, :]


def shaw_scores(
    q: Float[Array, "*lead q head_dim"],
    table: Float[Array, "rows head_dim"],
    query_positions: Integer[Array, "*batch q"] | Numbers,
    key_positions: Integer[Array, "*batch k"] | Numbers,
) -> Float[Array, "... q k"]:
    """Shaw's score term q_i·a_r/√D, with a learned vector a_r for each relative position up to a limit.

    Relative positions beyond the table's K are clipped to ±K. Every query meets the table once, so no
    array of q×k×D is made. The paper's second table, added to the values, is left out: a position
    scheme here touches scores only.

    Args:
        q: queries [..., heads, q, head_dim].
        table: [2K + 1, head_dim]; row K + r belongs to relative position r.
        query_positions, key_positions: integers [..., q] and [..., k]. Batched ones, [batch, q], belong to
            a `q` of [batch, heads, q, head_dim].

    Returns:
        [..., heads, q, k], to be added to q_i·k_j/√D.

    Raises:
        ValueError: a table with an even number of rows or of another width than `q`.

    Source: Shaw et al. (1803.02155), equations 4 and 5.

    >>> import numpy as np
    >>> shaw_scores(np.ones((2, 1)), np.array([[-1.0], [0.0], [1.0]]), [0, 1], [0, 1]).tolist()
    [[0.0, 1.0], [-1.0, 0.0]]
    """
    xp, device = namespace(q, table, query_positions, key_positions)
    q, table = floats_alike(xp, device, q=q, table=table)
    if table.ndim != 2 or table.shape[0] % 2 == 0 or table.shape[1] == 0:
        raise ValueError(f"table must have shape [2K + 1, head_dim], got {tuple(table.shape)}")
    if q.ndim < 2:
        raise ValueError(f"q must have shape [..., q, head_dim], got {tuple(q.shape)}")
    check_axis("q", q, -1, table.shape[1], "head_dim")
    queries = integers("query_positions", query_positions, xp, device)
    check_axis("query_positions", queries, -1, q.shape[-2], "the length of q")
    relative = relative_positions(queries, integers("key_positions", key_positions, xp, device))
    limit = table.shape[0] // 2
    to_table = q @ table.T / math.sqrt(table.shape[1])
    row = _with_head_axis(xp.clip(relative, -limit, limit) + limit)
    lead = check_broadcast(q=to_table.shape[:-1], positions=row.shape[:-1])
    return take_along_last(
        xp.broadcast_to(to_table, (*lead, table.shape[0])), xp.broadcast_to(row, (*lead, row.shape[-1])), xp
    )


def transformer_xl_scores(
    q: Float[Array, "*lead q head_dim"],
    k: Float[Array, "*lead k head_dim"],
    query_positions: Integer[Array, "*batch q"] | Numbers,
    key_positions: Integer[Array, "*batch k"] | Numbers,
    *,
    content_bias: Float[Array, "heads head_dim"],
    position_bias: Float[Array, "heads head_dim"],
    projection: Float[Array, "heads head_dim dim"],
    base: Real = 10_000.0,
) -> Float[Array, "... q k"]:
    """Transformer-XL's score terms beyond q_i·k_j: (u·k_j + (q_i + v)·W p_{i-j})/√D.

    p is the sinusoidal embedding of the distance i - j. Since p_{i-j} = shift_matrix(-j) p_i, the
    second term is a dot product of something that knows only the query with something that knows only the
    key's position: W^T (q_i + v), turned by i, with p_j turned back. So no array of q×k×dim is made, positions
    may have gaps, and each row of a batch may have its own.

    Args:
        q, k: queries and keys [..., heads, q or k, head_dim].
        query_positions, key_positions: integers [..., q] and [..., k].
        content_bias: u, [heads, head_dim], the same for every query.
        position_bias: v, [heads, head_dim].
        projection: W, [heads, head_dim, dim], from the sinusoid of `dim` (even) entries to a head.
        base: of the sinusoid.

    Returns:
        [..., heads, q, k], to be added to q_i·k_j/√D.

    Raises:
        ValueError: shapes that do not fit together, an odd dim.

    Source: Dai et al. (1901.02860), section 3.3.

    >>> import numpy as np
    >>> u = v = np.zeros((1, 2)); w = np.eye(2)[None]; q = np.ones((1, 1, 2))
    >>> transformer_xl_scores(q, q, [1], [0], content_bias=u, position_bias=v, projection=w).round(4).tolist()
    [[[0.9771]]]
    """
    xp, device = namespace(q, k, query_positions, key_positions, content_bias, position_bias, projection)
    q, k, u, v, w = floats_alike(
        xp, device, q=q, k=k, content_bias=content_bias, position_bias=position_bias, projection=projection
    )
    if 0 in w.shape or w.ndim != 3 or w.shape[-1] % 2:
        raise ValueError(f"projection must have shape [heads, head_dim, dim] with an even dim, got {tuple(w.shape)}")
    base = check_positive("base", base)
    heads, head_dim, dim = w.shape
    for name, array in (("q", q), ("k", k)):
        check_axis(name, array, -1, head_dim, "head_dim")
        check_axis(name, array, -3, heads, "heads")
    for name, array in (("content_bias", u), ("position_bias", v)):
        check_shape(name, array, (heads, head_dim), "[heads, head_dim]")
    queries = integers("query_positions", query_positions, xp, device)
    keys = integers("key_positions", key_positions, xp, device)
    check_axis("query_positions", queries, -1, q.shape[-2], "the length of q")
    check_axis("key_positions", keys, -1, k.shape[-2], "the length of k")
    check_broadcast(
        q=q.shape[:-3], k=k.shape[:-3], query_positions=queries.shape[:-1], key_positions=keys.shape[:-1]
    )
    frequencies = geometric_frequencies(dim // 2, 2 / dim, base, xp, device)
    # p_{i-j}: with z = W^T(q + v), z·p_{i-j} = z'·p_{-j}, where z' is z turned as shift_matrix(i)^T turns it.
    turned = rotate((q + v[:, None, :]) @ w, _with_head_axis(rotary_angles(queries, frequencies)), layout="interleaved")
    of_key = xp.astype(_with_head_axis(sinusoidal_embedding(-keys, dim, base=base)), q.dtype)
    by_content = xp.sum(u[:, None, :] * k, axis=-1)[..., None, :]
    return (by_content + turned @ xp.matrix_transpose(of_key)) / math.sqrt(head_dim)


def _with_head_axis(array: Array) -> Array:
    """[length, n] as it is, [batch, length, n] as [batch, 1, length, n], to stand beside heads."""
    return array[:, None, :, :] if array.ndim == 3 else array
