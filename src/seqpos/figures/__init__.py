"""The book's figures: matplotlib drawings, one look, one colour for each door.

Needs the `book` extra. A function draws what it is given and returns the figure, so that a test can read
the drawn data back; it computes no formula of its own.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ImportError:
    raise ImportError("seqpos.figures needs matplotlib: pip install 'seqpos[book]'") from None
