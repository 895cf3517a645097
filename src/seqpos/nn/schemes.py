"""Every position scheme by its name, sized for a model."""

from seqpos._arrays import check_choice, check_integer
from seqpos.nn.absolute import LearnedEmbedding, SinusoidalEmbedding
from seqpos.nn.relative import ALiBi, ShawRelative, T5Bias, TransformerXLRelative
from seqpos.nn.rotary import RotaryEmbedding
from seqpos.nn.scheme import NoPosition, PositionScheme

SCHEMES = ("none", "sinusoidal", "learned", "shaw", "transformer_xl", "t5", "alibi", "rope")


def make_scheme(name: str, *, dim: int, num_heads: int, max_positions: int, **options) -> PositionScheme:
    """A position scheme by its name.

    Args:
        name: one of none, sinusoidal, learned, shaw, transformer_xl, t5, alibi, rope.
        dim: the model's width; num_heads: its heads, which divide it.
        max_positions: the longest sequence; only a learned table needs it.
        options: passed on to the scheme's class.

    Raises:
        ValueError: an unknown name, heads that do not divide dim. TypeError: an option the class does not have.

    >>> make_scheme("rope", dim=64, num_heads=4, max_positions=128, base=500_000.0).head_dim
    16
    """
    check_choice("name", name, SCHEMES)
    dim = check_integer("dim", dim, minimum=1)
    num_heads = check_integer("num_heads", num_heads, minimum=1)
    max_positions = check_integer("max_positions", max_positions, minimum=1)
    if dim % num_heads:
        raise ValueError(f"num_heads must divide dim = {dim}, got {num_heads}")
    sized = {
        "none": (NoPosition,),
        "sinusoidal": (SinusoidalEmbedding, dim),
        "learned": (LearnedEmbedding, max_positions, dim),
        "shaw": (ShawRelative, dim // num_heads),
        "transformer_xl": (TransformerXLRelative, dim, num_heads),
        "t5": (T5Bias, num_heads),
        "alibi": (ALiBi, num_heads),
        "rope": (RotaryEmbedding, dim // num_heads),
    }
    scheme, *sizes = sized[name]
    return scheme(*sizes, **options)
