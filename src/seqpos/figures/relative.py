"""Figures of the score door: bias maps, T5's staircase, what a bias costs, loss beyond the trained length."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, ScalarFormatter, StrMethodFormatter

from seqpos.figures.style import DIVERGING, DOORS, INK, QUIET, RULE, label_line, subplots, zero_line

INPUT, SCORE = DOORS["input"], DOORS["score"]


def bias_maps(biases: Mapping[str, np.ndarray], *, limit: float) -> Figure:
    """What each scheme adds to the scores, query down, key across, in one scale that is centred on zero.

    Args:
        biases: title to bias [q, k], one panel each, two panels a row.
        limit: the colour scale runs from -limit to limit.
    """
    rows = (len(biases) + 1) // 2
    figure, axes = subplots(rows, 2, size=(7.2, 3.2 * rows), squeeze=False, sharex=True, sharey=True)
    for ax, (title, bias) in zip(axes.flat, biases.items(), strict=False):
        image = ax.imshow(np.asarray(bias), cmap=DIVERGING, vmin=-limit, vmax=limit, interpolation="nearest")
        ax.set(title=title)
    for ax in list(axes.flat)[len(biases) :]:
        ax.set_visible(False)
    for ax in axes[-1]:
        ax.set_xlabel("key position j")
    for ax in axes[:, 0]:
        ax.set_ylabel("query position i")
    figure.colorbar(image, ax=axes, label="added to the score", shrink=0.6)
    return figure


def bucket_staircase(distances: np.ndarray, buckets: Mapping[str, np.ndarray]) -> Figure:
    """T5's bucket of each distance looking back, on a logarithmic axis of distance.

    Args:
        distances: from 1 up, [n].
        buckets: name to buckets [n], a line each.
    """
    figure, ax = subplots(size=(7.2, 3.4))
    for (name, line), style in zip(buckets.items(), ("-", "--"), strict=False):
        ax.step(distances, line, where="post", color=SCORE, linestyle=style)
        ax.annotate(name, (distances[-1], line[-1]), xytext=(0, 5), textcoords="offset points", color=SCORE, ha="right")
    ax.set_xscale("log", base=2)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    ax.set(xlabel="distance |r| of a key before the query (tokens)", ylabel="bucket", ylim=(0, None))
    return figure


def cost_lines(lengths: Sequence[int], milliseconds: Mapping[str, Sequence[float]]) -> Figure:
    """Time against length, both logarithmic, a line for each thing that was timed.

    Args:
        lengths: tokens, [n].
        milliseconds: name to times [n]: a code at the input, then two of attention, then two of biases.
    """
    figure, ax = subplots(size=(7.2, 3.8))
    looks = ((INPUT, "o-"), (QUIET, "s-"), (INK, "s--"), (SCORE, "D-"), (SCORE, "^--"))
    ends = _spread({name: float(np.log(line[-1])) for name, line in milliseconds.items()}, gap=0.55)
    for (name, line), (color, style) in zip(milliseconds.items(), looks, strict=False):
        ax.plot(lengths, line, style, color=color, markersize=4)
        label_line(ax, lengths[-1], float(np.exp(ends[name])), name, color)
    ax.set(xscale="log", yscale="log", xlabel="length L (tokens)", ylabel="median time (ms)")
    ax.xaxis.set_major_locator(FixedLocator(lengths))
    ax.xaxis.set_major_formatter(ScalarFormatter())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlim(lengths[0] * 0.9, lengths[-1] * 3.4)
    return figure


def loss_beyond(
    lengths: Sequence[int], by_length: Mapping[str, Sequence[float]], positions: np.ndarray, added: Mapping[str, np.ndarray]
) -> Figure:
    """Loss at lengths beyond the trained one, the first, and what the longest window adds along its positions.

    Args:
        lengths: of windows, the trained one first, [n]; by_length: name to losses [n], in nats a character,
            two of the input door, then two of the score door.
        positions: in the longest window, [m]; added: name to differences of loss [m], the same names.
    """
    figure, (left, right) = subplots(1, 2, size=(7.2, 3.8))
    colors = dict(zip(by_length, (INPUT, INPUT, SCORE, SCORE), strict=False))
    styles = dict(zip(by_length, ("o-", "s--", "^--", "D-"), strict=False))
    for name, line in by_length.items():
        left.plot(lengths, line, styles[name], color=colors[name], markersize=4)
        right.plot(positions, added[name], styles[name], color=colors[name], markersize=4)
    ends = _spread({name: float(line[-1]) for name, line in added.items()}, gap=0.07 * np.ptp(right.get_ylim()))
    for name, y in ends.items():
        label_line(right, float(positions[-1]), y, name, colors[name])
    left.set(title="held-out loss", xlabel="window length (characters)", ylabel="nats a character", xscale="log")
    left.xaxis.set_major_locator(FixedLocator(lengths))
    left.xaxis.set_major_formatter(ScalarFormatter())
    left.xaxis.set_minor_locator(NullLocator())
    zero_line(right)
    right.set(title=f"added by windows of {lengths[-1]}", xlabel="position in the window")
    right.set_xlim(0, positions[-1] * 1.55)
    right.xaxis.set_major_locator(FixedLocator([0, *lengths]))
    for ax in (left, right):
        ax.axvline(lengths[0], color=RULE, linewidth=0.8, zorder=0)
    bottom, top = right.get_ylim()
    right.set_ylim(bottom, top + 0.12 * (top - bottom))
    right.annotate(f"trained at {lengths[0]}", (lengths[0], 1), xycoords=("data", "axes fraction"), xytext=(4, -3), textcoords="offset points",
                   ha="left", va="top", color=QUIET)
    return figure


def _spread(wanted: dict[str, float], *, gap: float) -> dict[str, float]:
    """Heights of labels: near the wanted ones, in their order, at least `gap` apart."""
    placed: dict[str, float] = {}
    lowest = -np.inf
    for name in sorted(wanted, key=wanted.__getitem__):
        lowest = placed[name] = max(wanted[name], lowest + gap)
    return placed
