"""The torch modules of `seqpos`: parameters and state; every formula is a function of the package below."""

try:
    import torch as _torch  # noqa: F401
except ImportError:
    raise ImportError("seqpos.nn needs torch: pip install 'seqpos[torch]'") from None

from seqpos.nn.absolute import LearnedEmbedding, SinusoidalEmbedding
from seqpos.nn.attention import Attention, KeyValueCache
from seqpos.nn.decoder import DecoderLM
from seqpos.nn.relative import ALiBi, ShawRelative, T5Bias, TransformerXLRelative
from seqpos.nn.rotary import RotaryEmbedding
from seqpos.nn.scheme import NoPosition, PositionScheme
from seqpos.nn.schemes import make_scheme
from seqpos.nn.seq2seq import Seq2Seq

__all__ = [
    "ALiBi",
    "Attention",
    "DecoderLM",
    "KeyValueCache",
    "LearnedEmbedding",
    "NoPosition",
    "PositionScheme",
    "RotaryEmbedding",
    "Seq2Seq",
    "ShawRelative",
    "SinusoidalEmbedding",
    "T5Bias",
    "TransformerXLRelative",
    "make_scheme",
]
