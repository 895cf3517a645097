"""Figures of the chapter on order-blindness: attention weights before and after a permutation, and the four doors."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from seqpos.figures.style import DOORS, INK, QUIET, subplots


def weights_before_and_after(before: Any, after: Any, words_before: Sequence[str], words_after: Sequence[str]) -> Figure:
    """Two grids of attention weights on one scale; queries down, keys across.

    Args:
        before, after: weights [length, length].
        words_before, words_after: the word at each position, [length].
    """
    figure, axes = subplots(1, 2, size=(7.2, 3.6))
    top = max(before.max(), after.max())
    for panel, weights, words in zip(axes, (before, after), (words_before, words_after), strict=True):
        image = panel.imshow(weights, vmin=0, vmax=top)
        panel.set_title(" ".join(words))
        panel.set_xticks(range(len(words)), words)
        panel.set_yticks(range(len(words)), words)
        panel.tick_params(length=0)
        panel.set_xlabel("key")
        for side in panel.spines.values():
            side.set_visible(False)
    axes[0].set_ylabel("query")
    figure.colorbar(image, ax=list(axes), label="weight", shrink=0.8, pad=0.02)
    return figure


def doors() -> Figure:
    """One attention layer from bottom to top, with the four doors in their colours."""
    figure, axes = subplots(size=(7.2, 5.4))
    axes.set(xlim=(0, 10), ylim=(0, 8.1))
    axes.axis("off")

    _box(axes, 5.8, 0.6, 2.6, r"embeddings $\mathbf{x}_i$")
    _box(axes, 3.9, 3.0, 1.6, r"queries $\mathbf{q}_i$")
    _box(axes, 5.8, 3.0, 1.6, r"keys $\mathbf{k}_j$")
    _box(axes, 8.2, 3.0, 1.6, r"values $\mathbf{v}_j$")
    _box(axes, 4.85, 4.8, 3.0, r"scores $\mathbf{q}_i\cdot\mathbf{k}_j/\sqrt{D}$")
    _box(axes, 4.85, 6.35, 3.0, "softmax")
    _box(axes, 5.8, 7.5, 2.6, r"outputs $\mathbf{o}_i$")

    _arrow(axes, (5.8, 1.0), (5.8, 1.45))
    for x in (3.9, 5.8, 8.2):
        _arrow(axes, (5.8, 1.85), (x, 2.6))
    for x, end in ((3.9, 4.3), (5.8, 5.4)):
        _arrow(axes, (x, 3.4), (end, 4.4))
    _arrow(axes, (4.85, 5.2), (4.85, 5.97))
    _arrow(axes, (4.85, 6.75), (5.4, 7.12))
    _arrow(axes, (8.2, 3.4), (6.4, 7.12))

    _door(axes, 5.8, 1.65, "input", r"input: $+\,\mathbf{p}_i$")
    _door(axes, 4.85, 3.9, "geometry", r"geometry: turn $\mathbf{q}$ and $\mathbf{k}$")
    _door(axes, 4.85, 5.55, "score", r"score: $+\,\beta_{j-i}$")

    states = (1.4, 3.2, 5.0, 6.8)
    for t, y in enumerate(states):
        axes.text(1.1, y, rf"$\mathbf{{h}}_{t}$", ha="center", va="center", color=DOORS["time"], bbox=_round(DOORS["time"]))
    for lower, upper in pairwise(states):
        _arrow(axes, (1.1, lower + 0.4), (1.1, upper - 0.4), DOORS["time"])
    axes.text(1.1, 0.6, "time: a state\nis handed on", ha="center", va="center", color=DOORS["time"], weight="bold")
    return figure


def _box(axes: Axes, x: float, y: float, width: float, text: str) -> None:
    outline = FancyBboxPatch((x - width / 2, y - 0.32), width, 0.64, boxstyle="round,pad=0.04", facecolor="white", edgecolor=QUIET)
    axes.add_patch(outline)
    axes.text(x, y, text, ha="center", va="center", color=INK)


def _round(color: str) -> dict[str, Any]:
    return {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": color, "linewidth": 1.5}


def _door(axes: Axes, x: float, y: float, door: str, text: str) -> None:
    axes.text(x, y, text, ha="center", va="center", color=DOORS[door], weight="bold", bbox=_round(DOORS[door]), zorder=5)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str = QUIET) -> None:
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.2})
