"""Position in sequence models: every formula once, for NumPy, torch and the Python array API.

Four doors by which a model learns the order of its input: time (`seqpos.recurrent`), the input
(`seqpos.absolute`), the score (`seqpos.relative`) and the geometry of queries and keys (`seqpos.rotary`).
Importing this loads neither torch nor matplotlib; the torch modules are in `seqpos.nn`.
"""

from seqpos.absolute import positional_embedding, shift_matrix, sinusoidal_embedding
from seqpos.recurrent import additive_attention, elman_cell, gru_cell, unroll
from seqpos.relative import (
    alibi_bias,
    alibi_slopes,
    relative_positions,
    shaw_scores,
    t5_bias,
    t5_bucket,
    transformer_xl_scores,
)
from seqpos.rotary import (
    RotaryFrequencies,
    convert_layout,
    inverse_frequencies,
    positions_from_mask,
    positions_from_segments,
    rotary_angles,
    rotate,
    rotation_matrix,
)

__all__ = [
    "RotaryFrequencies",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "convert_layout",
    "elman_cell",
    "gru_cell",
    "inverse_frequencies",
    "positional_embedding",
    "positions_from_mask",
    "positions_from_segments",
    "relative_positions",
    "rotary_angles",
    "rotate",
    "rotation_matrix",
    "shaw_scores",
    "shift_matrix",
    "sinusoidal_embedding",
    "t5_bias",
    "t5_bucket",
    "transformer_xl_scores",
    "unroll",
]

__version__ = "0.1.0"
