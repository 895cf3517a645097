"""Every bad argument raises at the call that has it, and the message names the argument, what it got and what may be.

One row of `BAD` is a call, the exception, and words its message must hold. Annotations are not enforced here
(they would raise first): users run without them, so the package's own checks are what they meet.
"""

import math

import array_api_strict
import numpy as np
import pytest
import torch

import seqpos
import seqpos.nn
from seqpos import *
from seqpos.nn import *

pytestmark = pytest.mark.usefixtures("unchecked")

NAN, INF = math.nan, math.inf
X = np.ones((2, 3, 4))  # [batch, length, dim] or [heads, length, head_dim]
T = torch.ones(2, 3, 4)
Q = torch.ones(2, 2, 3, 4)  # [batch, heads, length, head_dim]
AT, TO = torch.arange(3), torch.arange(5)
K = torch.ones(2, 2, 5, 4)
TOKENS = torch.zeros(2, 3, dtype=torch.int64)


def read_only(array):
    array.flags.writeable = False
    return array


def elman(**changed):
    ones = {"x": np.ones((2, 3)), "h": np.ones((2, 5)), "input_weight": np.ones((5, 3)),
            "hidden_weight": np.ones((5, 5)), "bias": np.ones(5)}  # fmt: skip
    given = ones | changed
    return elman_cell(given.pop("x"), given.pop("h"), **given)


def gru(**changed):
    ones = {"x": np.ones((2, 3)), "h": np.ones((2, 5)), "input_weight": np.ones((15, 3)),
            "hidden_weight": np.ones((15, 5)), "input_bias": np.ones(15), "hidden_bias": np.ones(15)}  # fmt: skip
    given = ones | changed
    return gru_cell(given.pop("x"), given.pop("h"), **given)


def additive(**changed):
    ones = {"query": np.ones((2, 3)), "states": np.ones((2, 4, 5)), "query_weight": np.ones((6, 3)),
            "state_weight": np.ones((6, 5)), "score_weight": np.ones(6)}  # fmt: skip
    given = ones | changed
    return additive_attention(given.pop("query"), given.pop("states"), **given)


def shaw(q=X, table=None, queries=(0, 1, 2), keys=(0, 1)):
    return shaw_scores(q, np.ones((5, 4)) if table is None else table, list(queries), list(keys))


def transformer_xl(q=X, k=X, queries=(0, 1, 2), keys=(0, 1, 2), **changed):
    learned = {"content_bias": np.ones((2, 4)), "position_bias": np.ones((2, 4)), "projection": np.ones((2, 4, 6))}
    return transformer_xl_scores(q, k, list(queries), list(keys), **(learned | changed))


def convert(weight=None, **changed):
    options = {"source": "half", "target": "interleaved", "num_heads": 2}
    return convert_layout(np.ones((8, 3)) if weight is None else weight, **(options | changed))


def scheme(name="rope", **changed):
    return make_scheme(name, **({"dim": 8, "num_heads": 2, "max_positions": 16} | changed))


def attention(**changed):
    given = {"dim": 4, "num_heads": 2, "scheme": NoPosition()} | changed
    return Attention(given.pop("dim"), given.pop("num_heads"), **given)


def decoder(**changed):
    given = {"vocab_size": 7, "dim": 4, "num_layers": 1, "num_heads": 2, "scheme": NoPosition()} | changed
    return DecoderLM(given.pop("vocab_size"), **given)


def seq2seq(**changed):
    given = {"vocab_size": 7, "embedding_dim": 3, "hidden_size": 4} | changed
    return Seq2Seq(given.pop("vocab_size"), **given)


def cached(batch):
    layer, cache = attention(), KeyValueCache()
    layer(torch.ones(batch, 3, 4), cache=cache)
    return layer, cache


def other_batch():
    layer, cache = cached(2)
    return layer(torch.ones(3, 1, 4), cache=cache)


BAD = [
    # the input door
    ("positional_embedding", lambda: positional_embedding(1.5), TypeError, "position", "integer", "1.5"),
    ("positional_embedding", lambda: positional_embedding("1"), TypeError, "position", "integer", "'1'"),
    ("positional_embedding", lambda: positional_embedding(None), TypeError, "position", "integer", "None"),
    ("positional_embedding", lambda: positional_embedding(True), TypeError, "position", "integer", "True"),
    ("positional_embedding", lambda: positional_embedding([1, 2]), TypeError, "position", "integer", "[1, 2]"),
    ("positional_embedding", lambda: positional_embedding(2**63), ValueError, "position", "64-bit"),
    ("positional_embedding", lambda: positional_embedding(2**70), ValueError, "position", "64-bit"),
    ("positional_embedding", lambda: positional_embedding(1, 0), ValueError, "d_model", "at least 1", "0"),
    ("positional_embedding", lambda: positional_embedding(1, -4), ValueError, "d_model", "at least 1", "-4"),
    ("positional_embedding", lambda: positional_embedding(1, 4.0), TypeError, "d_model", "integer", "4.0"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0.0, 1.0], 4), TypeError, "positions", "integers", "0.0"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding(np.ones(3), 4), TypeError, "positions", "float64"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding(T.half(), 4), TypeError, "positions", "float16"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([True], 4), TypeError, "positions", "integers", "True"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding("abc", 4), TypeError, "positions", "abc"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding(None, 4), TypeError, "positions", "None"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([[0], [1, 2]], 4), TypeError, "positions", "[[0], [1, 2]]"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding({0: 1}, 4), TypeError, "positions", "{0: 1}"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], -1), ValueError, "dim", "at least 1", "-1"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], True), TypeError, "dim", "integer", "True"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=NAN), ValueError, "base", "above 0", "nan"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=INF), ValueError, "base", "finite", "inf"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=0), ValueError, "base", "above 0", "0"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=-2.0), ValueError, "base", "above 0", "-2.0"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base="1e4"), TypeError, "base", "number", "'1e4'"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=None), TypeError, "base", "number", "None"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=True), TypeError, "base", "number", "True"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, base=1j), TypeError, "base", "number", "1j"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, layout="half"), ValueError,
     "layout", "'interleaved', 'concatenated'", "'half'"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, layout=None), ValueError, "layout", "None"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, layout=["half"]), ValueError, "layout", "['half']"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 4, denominator="d"), ValueError,
     "denominator", "'dim', 'dim/2-1'", "'d'"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 5, denominator="dim/2-1"), ValueError,
     "dim", "even", "5"),
    ("sinusoidal_embedding", lambda: sinusoidal_embedding([0], 2, denominator="dim/2-1"), ValueError,
     "dim", "at least 4", "2"),
    ("shift_matrix", lambda: shift_matrix(1, 5), ValueError, "dim", "even", "5"),
    ("shift_matrix", lambda: shift_matrix(1, 0), ValueError, "dim", "at least 2", "0"),
    ("shift_matrix", lambda: shift_matrix(0.5, 4), TypeError, "offset", "integer", "0.5"),
    ("shift_matrix", lambda: shift_matrix(1, 4, base=10**400), ValueError, "base", "finite"),
    # the geometry door
    ("inverse_frequencies", lambda: inverse_frequencies(5), ValueError, "dim", "even", "5"),
    ("inverse_frequencies", lambda: inverse_frequencies(-2), ValueError, "dim", "at least 2", "-2"),
    ("inverse_frequencies", lambda: inverse_frequencies("8"), TypeError, "dim", "integer", "'8'"),
    ("inverse_frequencies", lambda: inverse_frequencies(8, base=NAN), ValueError, "base", "nan"),
    ("RotaryFrequencies", lambda: RotaryFrequencies(np.array([1.0, NAN])), ValueError,
     "inverse_frequencies", "finite", "nan"),
    ("RotaryFrequencies", lambda: RotaryFrequencies(np.ones((2, 2))), ValueError, "inverse_frequencies", "[pairs]"),
    ("RotaryFrequencies", lambda: RotaryFrequencies("fast"), TypeError, "inverse_frequencies", "fast"),
    ("RotaryFrequencies", lambda: RotaryFrequencies(np.ones(2), 0.0), ValueError, "attention_factor", "above 0", "0.0"),
    ("RotaryFrequencies", lambda: RotaryFrequencies(np.ones(2), None), TypeError, "attention_factor", "None"),
    ("rotary_angles", lambda: rotary_angles([0.5], [1.0]), TypeError, "positions", "integers", "0.5"),
    ("rotary_angles", lambda: rotary_angles([0], np.ones((2, 2))), ValueError,
     "inverse_frequencies", "one axis", "(2, 2)"),
    ("rotary_angles", lambda: rotary_angles([0], 1.0), ValueError, "inverse_frequencies", "one axis", "()"),
    ("rotary_angles", lambda: rotary_angles([0], [1j]), TypeError, "inverse_frequencies", "real numbers", "1j"),
    ("rotary_angles", lambda: rotary_angles(np.array([2**64 - 1], "uint64"), [1.0]), ValueError, "positions", "64-bit"),
    ("rotate", lambda: rotate(np.ones(4, int), [1.0]), TypeError, "x", "floating-point", "int64"),
    ("rotate", lambda: rotate(np.ones(4, complex), [1.0]), TypeError, "x", "floating-point", "complex128"),
    ("rotate", lambda: rotate(None, [1.0]), TypeError, "x", "None"),
    ("rotate", lambda: rotate(X, None), TypeError, "angles", "None"),
    ("rotate", lambda: rotate(X, ["a"]), TypeError, "angles", "['a']"),
    ("rotate", lambda: rotate(X, [True]), TypeError, "angles", "True"),
    ("rotate", lambda: rotate(X, 1.0), ValueError, "angles", "at least one axis", "()"),
    ("rotate", lambda: rotate(np.float64(1.0), [1.0]), ValueError, "x", "at least one axis", "()"),
    ("rotate", lambda: rotate(X, [1.0, 1.0, 1.0]), ValueError, "angles", "dim 4", "3 pairs"),
    ("rotate", lambda: rotate(np.ones(5), [1.0, 1.0, 1.0]), ValueError, "angles", "dim 5", "3 pairs"),
    ("rotate", lambda: rotate(X, np.ones((7, 2))), ValueError, "angles", "broadcast", "(7,)", "(2, 3)"),
    ("rotate", lambda: rotate(T, torch.ones(7, 2)), ValueError, "angles", "broadcast", "(7,)", "(2, 3)"),
    ("rotate", lambda: rotate(array_api_strict.asarray(X), np.ones((7, 2))), ValueError,
     "angles", "broadcast", "(7,)"),
    ("rotate", lambda: rotate(X, [1.0], layout="Half"), ValueError, "layout", "'half', 'interleaved'", "'Half'"),
    ("rotate", lambda: rotate(X, [1.0], out=np.ones(3)), ValueError, "out", "(2, 3, 4)", "(3,)"),
    ("rotate", lambda: rotate(X, [1.0], out=np.ones((2, 3, 4), "float32")), ValueError, "out", "float64", "float32"),
    ("rotate", lambda: rotate(T, [1.0], out=np.ones((2, 3, 4), "float32")), TypeError, "out", "Tensor", "ndarray"),
    ("rotate", lambda: rotate(X, [1.0], out=[1.0]), TypeError, "out", "ndarray", "list"),
    ("rotate", lambda: rotate(X, [1.0], out=read_only(np.ones((2, 3, 4)))), ValueError, "out", "read-only"),
    ("rotate", lambda: rotate(T, [1.0], out=torch.ones(1, 1, 4).expand(2, 3, 4)), ValueError, "out", "memory"),
    ("rotate", lambda: rotate(T, [1.0], out=torch.ones(2, 3, 4, requires_grad=True)), ValueError, "out", "leaf"),
    ("rotation_matrix", lambda: rotation_matrix(1.0), ValueError, "angles", "at least one axis"),
    ("rotation_matrix", lambda: rotation_matrix([1j]), TypeError, "angles", "real numbers", "1j"),
    ("rotation_matrix", lambda: rotation_matrix([1.0], layout="pairs"), ValueError, "layout", "'pairs'"),
    ("convert_layout", lambda: convert(source="neox"), ValueError, "source", "'half', 'interleaved'", "'neox'"),
    ("convert_layout", lambda: convert(target=None), ValueError, "target", "'half', 'interleaved'", "None"),
    ("convert_layout", lambda: convert(num_heads=0), ValueError, "num_heads", "at least 1", "0"),
    ("convert_layout", lambda: convert(num_heads=3), ValueError, "weight", "num_heads = 3", "(8, 3)"),
    ("convert_layout", lambda: convert(np.float64(1.0)), ValueError, "weight", "()"),
    ("convert_layout", lambda: convert(None, num_heads=8), ValueError, "rotary_dim", "even", "1"),
    ("convert_layout", lambda: convert(rotary_dim=3), ValueError, "rotary_dim", "even", "3"),
    ("convert_layout", lambda: convert(rotary_dim=6), ValueError, "rotary_dim", "at most", "4", "6"),
    ("convert_layout", lambda: convert(rotary_dim=-2), ValueError, "rotary_dim", "at least 0", "-2"),
    ("convert_layout", lambda: convert([None]), TypeError, "weight", "[None]"),
    ("positions_from_mask", lambda: positions_from_mask([0, 2]), ValueError, "mask", "0 and 1", "2"),
    ("positions_from_mask", lambda: positions_from_mask([0.0, 1.0]), TypeError, "mask", "float64"),
    ("positions_from_mask", lambda: positions_from_mask(1), ValueError, "mask", "axis", "1"),
    ("positions_from_mask", lambda: positions_from_mask(None), TypeError, "mask", "None"),
    ("positions_from_segments", lambda: positions_from_segments([0.5]), TypeError, "segments", "integers", "0.5"),
    ("positions_from_segments", lambda: positions_from_segments(3), ValueError, "segments", "axis"),
    # the score door
    ("relative_positions", lambda: relative_positions(1, [1]), ValueError, "query_positions", "axis"),
    ("relative_positions", lambda: relative_positions([1], 1), ValueError, "key_positions", "axis"),
    ("relative_positions", lambda: relative_positions([1], [1.0]), TypeError, "key_positions", "integers", "1.0"),
    ("relative_positions", lambda: relative_positions(np.ones((2, 3), int), np.ones((4, 3), int)), ValueError,
     "query_positions", "key_positions", "(2,)", "(4,)"),
    ("t5_bucket", lambda: t5_bucket([0.0]), TypeError, "relative_position", "integers", "0.0"),
    ("t5_bucket", lambda: t5_bucket([0], num_buckets=2), ValueError, "num_buckets", "at least 4", "2"),
    ("t5_bucket", lambda: t5_bucket([0], num_buckets=7), ValueError, "num_buckets", "even", "7"),
    ("t5_bucket", lambda: t5_bucket([0], num_buckets=1, bidirectional=False), ValueError, "num_buckets", "at least 2"),
    ("t5_bucket", lambda: t5_bucket([0], max_distance=8), ValueError, "max_distance", "exceed", "8"),
    ("t5_bucket", lambda: t5_bucket([0], max_distance=2**63), ValueError, "max_distance", "2**62"),
    ("t5_bucket", lambda: t5_bucket([0], max_distance=128.0), TypeError, "max_distance", "integer", "128.0"),
    ("t5_bucket", lambda: t5_bucket([0], bidirectional="no"), TypeError, "bidirectional", "True or False", "'no'"),
    ("t5_bias", lambda: t5_bias([0], [0], np.ones(32)), ValueError, "table", "[buckets, heads]", "(32,)"),
    ("t5_bias", lambda: t5_bias([0], [0], np.ones((3, 2))), ValueError, "table", "even", "3"),
    ("t5_bias", lambda: t5_bias([0], [0], np.ones((32, 2), int)), TypeError, "table", "floating-point", "int64"),
    ("t5_bias", lambda: t5_bias([0.5], [0], np.ones((32, 2))), TypeError, "query_positions", "0.5"),
    ("t5_bias", lambda: t5_bias([0], [0], np.ones((32, 2)), bidirectional=None), TypeError, "bidirectional", "None"),
    ("alibi_slopes", lambda: alibi_slopes(0), ValueError, "num_heads", "at least 1", "0"),
    ("alibi_slopes", lambda: alibi_slopes(-8), ValueError, "num_heads", "at least 1", "-8"),
    ("alibi_slopes", lambda: alibi_slopes(8.0), TypeError, "num_heads", "integer", "8.0"),
    ("alibi_bias", lambda: alibi_bias([0], [0], 0), ValueError, "num_heads", "at least 1", "0"),
    ("alibi_bias", lambda: alibi_bias([0], [0.5], 2), TypeError, "key_positions", "0.5"),
    ("shaw_scores", lambda: shaw(table=np.ones((4, 4))), ValueError, "table", "[2K + 1, head_dim]", "(4, 4)"),
    ("shaw_scores", lambda: shaw(table=np.ones((5, 0))), ValueError, "table", "(5, 0)"),
    ("shaw_scores", lambda: shaw(table=np.ones(5)), ValueError, "table", "[2K + 1, head_dim]", "(5,)"),
    ("shaw_scores", lambda: shaw(q=np.ones((3, 6))), ValueError, "q", "head_dim = 4", "(3, 6)"),
    ("shaw_scores", lambda: shaw(q=np.ones(4)), ValueError, "q", "head_dim", "(4,)"),
    ("shaw_scores", lambda: shaw(q=np.ones((3, 4), int)), TypeError, "q", "floating-point", "int64"),
    ("shaw_scores", lambda: shaw(queries=[0]), ValueError, "query_positions", "3", "(1,)"),
    ("shaw_scores", lambda: shaw(queries=[[0, 1, 2]] * 3, keys=[[0]] * 3, q=Q), ValueError, "positions", "broadcast"),
    ("transformer_xl_scores", lambda: transformer_xl(queries=[0]), ValueError, "query_positions", "3", "(1,)"),
    ("transformer_xl_scores", lambda: transformer_xl(keys=[0]), ValueError, "key_positions", "3", "(1,)"),
    ("transformer_xl_scores", lambda: transformer_xl(projection=np.ones((2, 4, 5))), ValueError,
     "projection", "even", "(2, 4, 5)"),
    ("transformer_xl_scores", lambda: transformer_xl(projection=np.ones((4, 6))), ValueError, "projection", "(4, 6)"),
    ("transformer_xl_scores", lambda: transformer_xl(content_bias=np.ones(4)), ValueError,
     "content_bias", "(2, 4)", "(4,)"),
    ("transformer_xl_scores", lambda: transformer_xl(position_bias=np.ones((3, 4))), ValueError,
     "position_bias", "(3, 4)"),
    ("transformer_xl_scores", lambda: transformer_xl(q=np.ones((3, 3, 4))), ValueError, "q", "heads = 2", "(3, 3, 4)"),
    ("transformer_xl_scores", lambda: transformer_xl(k=np.ones((2, 3, 5))), ValueError,
     "k", "head_dim = 4", "(2, 3, 5)"),
    ("transformer_xl_scores", lambda: transformer_xl(base=0.0), ValueError, "base", "above 0", "0.0"),
    ("transformer_xl_scores", lambda: transformer_xl(q=np.ones((5, 2, 3, 4)), k=np.ones((6, 2, 3, 4))), ValueError,
     "q and k", "broadcast", "(5,)", "(6,)"),
    # the time door
    ("elman_cell", lambda: elman(x=np.ones((2, 4))), ValueError, "input_weight", "(5, 4)", "(5, 3)"),
    ("elman_cell", lambda: elman(h=np.ones((2, 4))), ValueError, "input_weight", "[hidden, inputs]", "(5, 3)"),
    ("elman_cell", lambda: elman(x=np.float64(1.0)), ValueError, "x", "axis", "single number"),
    ("elman_cell", lambda: elman(h=np.ones((3, 5))), ValueError, "x and h", "(2,)", "(3,)"),
    ("elman_cell", lambda: elman(bias=np.ones((5, 1))), ValueError, "bias", "(5,)", "(5, 1)"),
    ("elman_cell", lambda: elman(bias=None), TypeError, "bias", "None"),
    ("elman_cell", lambda: elman(x=np.ones((2, 3), int)), TypeError, "x", "floating-point", "int64"),
    ("gru_cell", lambda: gru(hidden_weight=np.ones((5, 5))), ValueError, "hidden_weight", "3 · hidden", "(5, 5)"),
    ("gru_cell", lambda: gru(input_weight=np.ones((15, 3, 1))), ValueError, "input_weight", "(15, 3)", "(15, 3, 1)"),
    ("gru_cell", lambda: gru(hidden_bias=np.ones(5)), ValueError, "hidden_bias", "(15,)", "(5,)"),
    ("gru_cell", lambda: gru(input_bias="b"), TypeError, "input_bias", "'b'"),
    ("unroll", lambda: unroll(None, X, np.ones((2, 4))), TypeError, "step", "function", "None"),
    ("unroll", lambda: unroll(max, np.ones(3), np.ones(3)), ValueError, "inputs", "[..., length, size]", "(3,)"),
    ("unroll", lambda: unroll(max, X, np.float64(0.0)), ValueError, "h", "[..., hidden]"),
    ("unroll", lambda: unroll(max, [[1]], np.ones(3)), TypeError, "inputs", "floating-point", "[[1]]"),
    ("additive_attention", lambda: additive(states=np.ones((2, 0, 5))), ValueError,
     "states", "at least 1", "(2, 0, 5)"),
    ("additive_attention", lambda: additive(states=np.ones(5)), ValueError, "states", "(5,)"),
    ("additive_attention", lambda: additive(query=np.ones((2, 4))), ValueError, "query_weight", "(6, 4)", "(6, 3)"),
    ("additive_attention", lambda: additive(query=np.ones((3, 3))), ValueError, "query and states", "(3,)", "(2,)"),
    ("additive_attention", lambda: additive(score_weight=np.ones((6, 1))), ValueError, "score_weight", "(6, 1)"),
    ("additive_attention", lambda: additive(state_weight=np.ones((7, 5))), ValueError,
     "state_weight", "(6, 5)", "(7, 5)"),
    ("additive_attention", lambda: additive(mask=np.ones((2, 4))), ValueError, "mask", "booleans", "float64"),
    ("additive_attention", lambda: additive(mask=np.ones(4, bool)), ValueError, "mask", "(2, 4)", "(4,)"),
    ("additive_attention", lambda: additive(mask=np.zeros((2, 4), bool)), ValueError, "mask", "at least one state"),
    # schemes
    ("make_scheme", lambda: scheme("rotary"), ValueError, "name", "'rope'", "'rotary'"),
    ("make_scheme", lambda: scheme(num_heads=3), ValueError, "num_heads", "dim = 8", "3"),
    ("make_scheme", lambda: scheme(num_heads=0), ValueError, "num_heads", "at least 1", "0"),
    ("make_scheme", lambda: scheme(dim=0), ValueError, "dim", "at least 1", "0"),
    ("make_scheme", lambda: scheme(max_positions=-1), ValueError, "max_positions", "at least 1", "-1"),
    ("make_scheme", lambda: scheme(colour="red"), TypeError, "colour"),
    ("NoPosition", lambda: NoPosition(3), TypeError, "argument"),
    ("PositionScheme", lambda: PositionScheme(3), TypeError, "argument"),
    ("SinusoidalEmbedding", lambda: SinusoidalEmbedding(0), ValueError, "dim", "at least 1", "0"),
    ("SinusoidalEmbedding", lambda: SinusoidalEmbedding(4, base=NAN), ValueError, "base", "nan"),
    ("SinusoidalEmbedding", lambda: SinusoidalEmbedding(4, layout="x"), ValueError, "layout", "'x'"),
    ("SinusoidalEmbedding.embed", lambda: SinusoidalEmbedding(5).embed(T, AT), ValueError, "x", "5", "(2, 3, 4)"),
    ("SinusoidalEmbedding.embed", lambda: SinusoidalEmbedding(4).embed(T, TO), ValueError, "positions", "[3]", "(5,)"),
    ("SinusoidalEmbedding.embed", lambda: SinusoidalEmbedding(4).embed(X, AT), TypeError,
     "x", "torch tensor", "ndarray"),
    ("SinusoidalEmbedding.embed", lambda: SinusoidalEmbedding(4).embed(T, AT.float()), TypeError,
     "positions", "float32"),
    ("SinusoidalEmbedding.embed", lambda: SinusoidalEmbedding(4).embed(T.long(), AT), TypeError, "x", "int64"),
    ("LearnedEmbedding", lambda: LearnedEmbedding(0, 4), ValueError, "max_positions", "at least 1", "0"),
    ("LearnedEmbedding", lambda: LearnedEmbedding(4, 4.0), TypeError, "dim", "integer", "4.0"),
    ("LearnedEmbedding.embed", lambda: LearnedEmbedding(2, 4).embed(T, AT), ValueError, "positions", "0 … 1", "2"),
    ("LearnedEmbedding.embed", lambda: LearnedEmbedding(9, 4).embed(T, -AT), ValueError, "positions", "0 … 8", "-1"),
    ("LearnedEmbedding.embed", lambda: LearnedEmbedding(9, 4).embed(T, AT > 0), TypeError, "positions", "bool"),
    ("ShawRelative", lambda: ShawRelative(0), ValueError, "head_dim", "at least 1", "0"),
    ("ShawRelative", lambda: ShawRelative(4, max_distance=-1), ValueError, "max_distance", "at least 0", "-1"),
    ("ShawRelative.bias", lambda: ShawRelative(5).bias(Q, K, AT, TO), ValueError, "q", "head_dim = 5", "(2, 2, 3, 4)"),
    ("ShawRelative.bias", lambda: ShawRelative(4).bias(Q, K, TO, TO), ValueError, "query_positions", "[3]", "(5,)"),
    ("ShawRelative.bias", lambda: ShawRelative(4).bias(Q[0], K, AT, TO), ValueError, "q", "batch", "(2, 3, 4)"),
    ("TransformerXLRelative", lambda: TransformerXLRelative(5, 1), ValueError, "dim", "even", "5"),
    ("TransformerXLRelative", lambda: TransformerXLRelative(8, 3), ValueError, "num_heads", "dim = 8", "3"),
    ("TransformerXLRelative", lambda: TransformerXLRelative(8, 2, base=0), ValueError, "base", "above 0", "0"),
    ("TransformerXLRelative.bias", lambda: TransformerXLRelative(8, 2).bias(Q, K, AT, AT), ValueError,
     "key_positions", "[5]", "(3,)"),
    ("T5Bias", lambda: T5Bias(0), ValueError, "num_heads", "at least 1", "0"),
    ("T5Bias", lambda: T5Bias(2, num_buckets=3), ValueError, "num_buckets", "even", "3"),
    ("T5Bias", lambda: T5Bias(2, max_distance=4), ValueError, "max_distance", "exceed", "4"),
    ("T5Bias", lambda: T5Bias(2, bidirectional=1), TypeError, "bidirectional", "True or False", "1"),
    ("T5Bias.bias", lambda: T5Bias(1).bias(Q, K, AT, TO), ValueError, "q", "[batch, 1, q, head_dim]", "(2, 2, 3, 4)"),
    ("ALiBi", lambda: ALiBi(0), ValueError, "num_heads", "at least 1", "0"),
    ("ALiBi.bias", lambda: ALiBi(1).bias(Q, K, AT, TO), ValueError, "q", "[batch, 1, q, head_dim]", "(2, 2, 3, 4)"),
    ("ALiBi.bias", lambda: ALiBi(2).bias(Q, K, AT, TO.float()), TypeError, "key_positions", "float32"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(5), ValueError, "head_dim", "even", "5"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(8, base="x"), TypeError, "base", "'x'"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(8, layout="pairs"), ValueError, "layout", "'pairs'"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(8, base=1e4, frequencies=RotaryFrequencies(np.ones(4))), ValueError,
     "base", "frequencies", "10000.0"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(8, frequencies=[1.0]), TypeError,
     "frequencies", "RotaryFrequencies", "list"),
    ("RotaryEmbedding", lambda: RotaryEmbedding(4, frequencies=RotaryFrequencies(np.ones(3))), ValueError,
     "frequencies", "at most", "2", "3"),
    ("RotaryEmbedding.forward", lambda: RotaryEmbedding(8)(Q, Q, positions=AT), ValueError, "q", "8", "(2, 2, 3, 4)"),
    ("RotaryEmbedding.forward", lambda: RotaryEmbedding(4)(Q, K, positions=AT), ValueError, "positions", "[5]", "(3,)"),
    ("RotaryEmbedding.forward", lambda: RotaryEmbedding(4)(Q, None, positions=AT), TypeError, "k", "NoneType"),
    ("RotaryEmbedding.forward", lambda: RotaryEmbedding(4)(Q, Q, positions=[0, 1, 2]), TypeError, "positions", "list"),
    # models
    ("Attention", lambda: attention(dim=0), ValueError, "dim", "at least 1", "0"),
    ("Attention", lambda: attention(num_heads=3), ValueError, "num_heads", "dim = 4", "3"),
    ("Attention", lambda: attention(num_heads=0), ValueError, "num_heads", "at least 1", "0"),
    ("Attention", lambda: attention(num_heads=2.0), TypeError, "num_heads", "integer", "2.0"),
    ("Attention", lambda: attention(num_key_value_heads=0), ValueError, "num_key_value_heads", "at least 1", "0"),
    ("Attention", lambda: attention(num_heads=4, num_key_value_heads=3), ValueError,
     "num_key_value_heads", "num_heads = 4"),
    ("Attention", lambda: attention(scheme=None), TypeError, "scheme", "PositionScheme", "None"),
    ("Attention", lambda: attention(scheme="rope"), TypeError, "scheme", "PositionScheme", "'rope'"),
    ("Attention", lambda: attention(scheme=lambda: 3), TypeError, "scheme", "PositionScheme", "3"),
    ("Attention", lambda: attention(scheme=torch.nn.Linear(2, 2)), TypeError, "scheme", "PositionScheme", "Linear"),
    ("Attention", lambda: attention(causal="yes"), TypeError, "causal", "True or False", "'yes'"),
    ("Attention.forward", lambda: attention()(torch.ones(2, 3, 5)), ValueError, "x", "4", "(2, 3, 5)"),
    ("Attention.forward", lambda: attention()(torch.ones(3, 4)), ValueError, "x", "batch", "(3, 4)"),
    ("Attention.forward", lambda: attention()(X), TypeError, "x", "torch tensor", "ndarray"),
    ("Attention.forward", lambda: attention()(T.long()), TypeError, "x", "int64"),
    ("Attention.forward", lambda: attention()(T, positions=TO), ValueError, "positions", "[3]", "(5,)"),
    ("Attention.forward", lambda: attention()(T, positions=[0, 1, 2]), TypeError, "positions", "list"),
    ("Attention.forward", lambda: attention()(T, segments=AT.float()), TypeError, "segments", "float32"),
    ("Attention.forward", lambda: attention()(T, segments=torch.zeros(3, 3).long()), ValueError, "segments", "(3, 3)"),
    ("Attention.forward", lambda: attention()(T, cache={}), TypeError, "cache", "KeyValueCache", "{}"),
    ("Attention.forward", lambda: attention(scheme=ALiBi(1))(T), ValueError, "q", "[batch, 1, q, head_dim]"),
    ("KeyValueCache", lambda: KeyValueCache(4), TypeError, "argument"),
    ("KeyValueCache", other_batch, ValueError, "cache", "2 rows for 3"),
    ("DecoderLM", lambda: decoder(vocab_size=0), ValueError, "vocab_size", "at least 1", "0"),
    ("DecoderLM", lambda: decoder(dim=-4), ValueError, "dim", "at least 1", "-4"),
    ("DecoderLM", lambda: decoder(dim="4"), TypeError, "dim", "integer", "'4'"),
    ("DecoderLM", lambda: decoder(num_layers=0), ValueError, "num_layers", "at least 1", "0"),
    ("DecoderLM", lambda: decoder(num_heads=3), ValueError, "num_heads", "dim = 4", "3"),
    ("DecoderLM", lambda: decoder(scheme=None), TypeError, "scheme", "None"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS + 7), ValueError, "tokens", "0 … 6", "7"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS - 1), ValueError, "tokens", "0 … 6", "-1"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS[0]), ValueError, "tokens", "[batch, length]", "(3,)"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS.float()), TypeError, "tokens", "int64", "float32"),
    ("DecoderLM.forward", lambda: decoder()([[1, 2]]), TypeError, "tokens", "list"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS, positions=TO), ValueError, "positions", "[3]", "(5,)"),
    ("DecoderLM.forward", lambda: decoder()(TOKENS, cache=[]), TypeError, "cache", "KeyValueCache", "[]"),
    ("DecoderLM.forward", lambda: decoder(scheme=LearnedEmbedding(2, 4))(TOKENS), ValueError,
     "positions", "0 … 1", "2"),
    ("DecoderLM.forward", lambda: decoder(scheme=SinusoidalEmbedding(6))(TOKENS), ValueError, "x", "6", "(2, 3, 4)"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=-1), ValueError, "max_new_tokens", "-1"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1.0), TypeError, "max_new_tokens", "1.0"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS[:, :0], max_new_tokens=1), ValueError,
     "tokens", "at least one token", "(2, 0)"),
    ("DecoderLM.generate", lambda: decoder().generate(None, max_new_tokens=1), TypeError, "tokens", "NoneType"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1, temperature=-1.0), ValueError,
     "temperature", "-1.0"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1, temperature=NAN), ValueError,
     "temperature", "nan"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1, temperature="hot"), TypeError,
     "temperature", "'hot'"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1, segments=AT - 3), ValueError,
     "segments", "padding", "left"),
    ("DecoderLM.generate", lambda: decoder().generate(TOKENS, max_new_tokens=1, segments=TO), ValueError,
     "segments", "(5,)"),
    ("Seq2Seq", lambda: seq2seq(vocab_size=-1), ValueError, "vocab_size", "at least 1", "-1"),
    ("Seq2Seq", lambda: seq2seq(embedding_dim=0), ValueError, "embedding_dim", "at least 1", "0"),
    ("Seq2Seq", lambda: seq2seq(hidden_size=None), TypeError, "hidden_size", "integer", "None"),
    ("Seq2Seq", lambda: seq2seq(attention="bahdanau"), TypeError, "attention", "True or False", "'bahdanau'"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS[:, :0], TOKENS), ValueError, "source", "at least one token"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS + 7), ValueError, "target", "0 … 6", "7"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS[:1]), ValueError, "target", "2 rows", "1"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, None), TypeError, "target", "NoneType"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS, source_lengths=[3, 3]), TypeError, "source_lengths", "list"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS, source_lengths=torch.tensor([0, 3])), ValueError,
     "source_lengths", "1 … 3", "[0, 3]"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS, source_lengths=torch.tensor([4, 3])), ValueError,
     "source_lengths", "1 … 3", "[4, 3]"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS, source_lengths=torch.tensor([3])), ValueError,
     "source_lengths", "[2]", "(1,)"),
    ("Seq2Seq.forward", lambda: seq2seq()(TOKENS, TOKENS, source_lengths=torch.tensor([1.0, 2.0])), TypeError,
     "source_lengths", "float32"),
    ("Seq2Seq.generate", lambda: seq2seq().generate(TOKENS, length=-1), ValueError, "length", "at least 0", "-1"),
    ("Seq2Seq.generate", lambda: seq2seq().generate(TOKENS, length=1, start=7), ValueError, "start", "0 … 6", "7"),
    ("Seq2Seq.generate", lambda: seq2seq().generate(TOKENS, length=1, start=0.5), TypeError, "start", "0.5"),
    ("Seq2Seq.generate", lambda: seq2seq().generate("abc", length=1), TypeError, "source", "str"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call", "error", "words"), [(n, c, e, w) for n, c, e, *w in BAD],
                         ids=[f"{n}-{i}" for i, (n, *_) in enumerate(BAD)])  # fmt: skip
def test_a_bad_argument_is_named(name, call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error, "the very type, not a subclass that another library raised"
    message = str(caught.value)
    missing = [word for word in words if word not in message]
    assert not missing, f"{missing} missing in: {message}"


def test_the_helpers_are_right_when_nothing_is_changed():
    """Otherwise a row could fail for another reason than its own."""
    for made in (elman(), gru(), additive(), shaw(), transformer_xl(), convert(), scheme(), attention()(T)):
        assert made is not None
    assert decoder()(TOKENS).shape == (2, 3, 7) and seq2seq()(TOKENS, TOKENS).shape == (2, 3, 7)
    assert cached(2)[1] is not None and ShawRelative(4).bias(Q, K, AT, TO).shape == (2, 2, 3, 5)


def test_every_public_name_has_its_rows():
    named = {name.partition(".")[0] for name, *_ in BAD}
    assert named == set(seqpos.__all__) | set(seqpos.nn.__all__)


HOOKS = {"embed", "bias", "forward"}


def test_every_module_that_takes_tensors_has_rows_for_its_call():
    named = {name for name, *_ in BAD}
    for name in seqpos.nn.__all__:
        own = vars(getattr(seqpos.nn, name)) if name != "make_scheme" else {}
        for method in (HOOKS | {"generate"}) & set(own):
            if name != "PositionScheme":  # its hooks are the identity: nothing is looked at
                assert f"{name}.{method}" in named
