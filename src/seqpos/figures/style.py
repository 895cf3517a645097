"""The look: few lines, direct labels, a colour for each door that colour-blind readers can tell apart."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

DOORS = {"time": "#0063A3", "input": "#A84B00", "score": "#00734C", "geometry": "#9B2F7F"}
"""Each at least 4.5:1 on white."""
INK, QUIET, RULE = "#1F2328", "#5B6470", "#C9CED6"
DIVERGING = "RdBu"
"""Centred on zero wherever it is used."""
SEQUENTIAL = "cividis"

_SETTINGS = {
    "figure.facecolor": "white",
    "figure.figsize": (7.2, 3.4),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": mpl.cycler(color=list(DOORS.values())),
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "text.color": INK,
    "lines.linewidth": 1.8,
    "image.cmap": SEQUENTIAL,
    "legend.frameon": False,
    "svg.hashsalt": "where-words-stand",
}


def subplots(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] | None = None, **options
) -> tuple[Figure, Axes | np.ndarray]:
    """`plt.subplots` in the book's look; `size` is in inches, at most 7.2 wide to fit the text column."""
    # Set for good, not in a context: titles, labels and legends read their settings when they are made, later.
    mpl.rcParams.update(_SETTINGS)
    return plt.subplots(rows, columns, figsize=size, **options)


def label_line(axes: Axes, x: float | int, y: float | int, text: str, color: str, **options) -> None:
    """A direct label in the line's own colour, just right of its end."""
    axes.annotate(text, (x, y), xytext=(5, 0), textcoords="offset points", color=color, va="center", **options)


def zero_line(axes: Axes) -> None:
    """A thin line at zero, where sign matters."""
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
