"""The score door as modules: what each head adds to its scores for a relative position."""

import torch
from torch import Tensor, nn

from seqpos._arrays import Real, check_flag, check_integer, check_positive
from seqpos.nn.scheme import PositionScheme, check_scores, with_batch_axis
from seqpos.relative import alibi_bias, shaw_scores, t5_bias_between, t5_borders, transformer_xl_scores


class ShawRelative(PositionScheme):
    """A learned vector for each relative position up to ±max_distance meets the query.

    The vectors are shared by the heads, as in the paper; its second table, for values, is left out.

    Args:
        head_dim: width of a head.
        max_distance: K; farther positions share the vector of ±K.

    Source: Shaw et al. (1803.02155).

    >>> ShawRelative(8, max_distance=4).table.shape
    torch.Size([9, 8])
    """

    def __init__(self, head_dim: int, *, max_distance: int = 16) -> None:
        super().__init__()
        self.head_dim = check_integer("head_dim", head_dim, minimum=1)
        self.max_distance = check_integer("max_distance", max_distance, minimum=0)
        self.table = nn.Parameter(torch.empty(2 * max_distance + 1, head_dim))
        nn.init.normal_(self.table, std=head_dim**-0.5)

    def bias(self, q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        check_scores(q, k, query_positions, key_positions)
        return shaw_scores(q, self.table.to(q.dtype), query_positions, key_positions)


class TransformerXLRelative(PositionScheme):
    """A sinusoid of the distance meets the query, and two learned vectors stand in for the query.

    Args:
        dim: the model's width, which is also the sinusoid's; even, and `num_heads` divides it.
        num_heads: heads.
        base: of the sinusoid.

    Source: Dai et al. (1901.02860), section 3.3.

    >>> TransformerXLRelative(8, 2).projection.shape
    torch.Size([2, 4, 8])
    """

    def __init__(self, dim: int, num_heads: int, *, base: Real = 10_000.0) -> None:
        super().__init__()
        dim = check_integer("dim", dim, minimum=2, even=True)
        num_heads = check_integer("num_heads", num_heads, minimum=1)
        if dim % num_heads:
            raise ValueError(f"num_heads must divide dim = {dim}, got {num_heads}")
        self.num_heads = num_heads
        self.base = check_positive("base", base)
        head_dim = dim // num_heads
        self.projection = nn.Parameter(torch.empty(num_heads, head_dim, dim))
        nn.init.normal_(self.projection, std=dim**-0.5)
        self.content_bias = nn.Parameter(torch.zeros(num_heads, head_dim))
        self.position_bias = nn.Parameter(torch.zeros(num_heads, head_dim))

    def bias(self, q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        check_scores(q, k, query_positions, key_positions, self.num_heads)
        return transformer_xl_scores(
            q,
            k,
            query_positions,
            key_positions,
            content_bias=self.content_bias.to(q.dtype),
            position_bias=self.position_bias.to(q.dtype),
            projection=self.projection.to(q.dtype),
            base=self.base,
        )


class T5Bias(PositionScheme):
    """A learned number for each head and bucket of the relative position.

    T5 shares one table over all layers; a shared instance does that. T5 also leaves scores unscaled, which
    `Attention` here does not.

    Args:
        num_heads: heads.
        num_buckets, max_distance, bidirectional: as in `seqpos.t5_bucket`; a causal model wastes half of its
            buckets if `bidirectional` stays True.

    Source: Raffel et al. (1910.10683), section 2.1.

    >>> T5Bias(4).table.shape
    torch.Size([32, 4])
    """

    def __init__(
        self, num_heads: int, *, num_buckets: int = 32, max_distance: int = 128, bidirectional: bool = True
    ) -> None:
        super().__init__()
        self.num_heads = check_integer("num_heads", num_heads, minimum=1)
        self._borders = t5_borders(bidirectional, num_buckets, max_distance)
        self.max_distance = max_distance
        self.bidirectional = check_flag("bidirectional", bidirectional)
        self.table = nn.Parameter(torch.empty(num_buckets, num_heads))
        nn.init.normal_(self.table, std=0.02)

    def bias(self, q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        check_scores(q, k, query_positions, key_positions, self.num_heads)
        bias = t5_bias_between(
            self._borders, query_positions, key_positions, self.table, bidirectional=self.bidirectional
        )
        return with_batch_axis(bias).to(q.dtype)


class ALiBi(PositionScheme):
    """A fixed penalty in proportion to distance, with a slope for each head.

    Args:
        num_heads: heads, at least 1; need not be a power of two.

    Source: Press et al. (2108.12409).

    >>> q, k = torch.zeros(1, 2, 1, 4), torch.zeros(1, 2, 2, 4)
    >>> ALiBi(2).bias(q, k, torch.tensor([1]), torch.arange(2)).tolist()
    [[[[-0.0625, 0.0]], [[-0.00390625, 0.0]]]]
    """

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.num_heads = check_integer("num_heads", num_heads, minimum=1)

    def bias(self, q: Tensor, k: Tensor, query_positions: Tensor, key_positions: Tensor) -> Tensor:
        check_scores(q, k, query_positions, key_positions, self.num_heads)
        return with_batch_axis(alibi_bias(query_positions, key_positions, self.num_heads)).to(q.dtype)
