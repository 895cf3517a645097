"""Figures of the input door: counters and waves, clock hands, the table of codes, what a dot product sees."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from seqpos.figures.style import DIVERGING, DOORS, INK, QUIET, RULE, label_line, subplots, zero_line

INPUT = DOORS["input"]


def counter_and_waves(bits: np.ndarray, waves: np.ndarray) -> Figure:
    """The columns of a binary counter beside those of a sinusoidal code, one row a column.

    Args:
        bits: 0 and 1, [positions, columns], the fastest column first.
        waves: in [-1, 1], [positions, columns].
    """
    figure, axes = subplots(1, 2, size=(7.2, 4.0), sharex=True)
    positions = np.arange(len(bits))
    for ax, table, title, color, drawn in (
        (axes[0], 2.0 * np.asarray(bits) - 1, "binary digits", QUIET, "steps-mid"),
        (axes[1], np.asarray(waves), "sines", INPUT, "default"),
    ):
        ax.set(title=title, xlabel="position")
        for row, column in enumerate(table.T):
            base = -2.6 * row
            ax.axhline(base, color=RULE, linewidth=0.8, zorder=0)
            ax.plot(positions, base + column, color=color, linewidth=1.4, drawstyle=drawn)
        ax.set_yticks([-2.6 * row for row in range(table.shape[1])])
        ax.spines[["left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticklabels([f"bit {row}" for row in range(np.shape(bits)[1])])
    axes[1].set_yticklabels([f"pair {row}" for row in range(np.shape(waves)[1])])
    return figure


def clock_hands(vectors: np.ndarray, titles: Sequence[str]) -> Figure:
    """Each (sine, cosine) pair as a hand, one circle a pair: up at position 0, turning clockwise.

    Args:
        vectors: [positions, 2 · pairs], interleaved; the sine is drawn across, the cosine up.
        titles: one a pair.
    """
    pairs = np.asarray(vectors).reshape(len(vectors), -1, 2)
    figure, axes = subplots(1, pairs.shape[1], size=(7.2, 2.9), squeeze=False)
    turn = np.linspace(0, 2 * np.pi, 200)
    shades = np.linspace(0.35, 1.0, len(pairs))
    for pair, (ax, title) in enumerate(zip(axes[0], titles, strict=True)):
        ax.plot(np.cos(turn), np.sin(turn), color=RULE, linewidth=1.0, zorder=0)
        labelled = None
        for position, ((across, up), shade) in enumerate(zip(pairs[:, pair], shades, strict=True)):
            ax.plot([0, across], [0, up], color=INPUT, alpha=float(shade), solid_capstyle="round")
            ax.plot(across, up, "o", color=INPUT, alpha=float(shade), markersize=4)
            tip = np.array([across, up])
            # A number only where there is room beside the last one.
            if labelled is None or np.linalg.norm(tip - labelled) > 0.19:
                ax.text(*(1.2 * tip), str(position), ha="center", va="center", color=INK)
                labelled = tip
        if len(ax.texts) == 1:
            ax.texts[0].set_text(f"0 – {len(pairs) - 1}")
        ax.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), aspect="equal", title=title)
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_visible(False)
    return figure


def code_table(table: np.ndarray) -> Figure:
    """The vectors of many positions as a picture, a row a position, colours centred on zero.

    Args:
        table: [positions, dim], entries in [-1, 1].
    """
    figure, ax = subplots(size=(7.2, 4.2))
    image = ax.imshow(table, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    ax.set(xlabel="dimension n", ylabel="position i")
    figure.colorbar(image, ax=ax, label="entry n of the vector", shrink=0.9)
    return figure


def similarity_by_distance(
    distances: np.ndarray, similarities: Mapping[str, np.ndarray], law: np.ndarray, *, marks: Mapping[str, int]
) -> Figure:
    """Cosine similarity against distance on a logarithmic axis, a line for each width, and the smooth law.

    Args:
        distances: [n], from 1.
        similarities: by name [n].
        law: [n], drawn dashed.
        marks: by name of a line, a distance to ring.
    """
    figure, ax = subplots(size=(7.2, 3.8))
    zero_line(ax)
    for door, (name, values) in zip(("time", "input", "geometry"), similarities.items(), strict=False):
        ax.plot(distances, values, color=DOORS[door], linewidth=1.4, label=name)
        if name in marks:
            at = int(np.flatnonzero(np.asarray(distances) == marks[name])[0])
            ax.plot(distances[at], values[at], "o", color=DOORS[door], fillstyle="none", markersize=8)
    ax.plot(distances, law, "--", color=INK, linewidth=1.2, label="logarithmic law")
    ax.set_xscale("log")
    ticks = [tick for tick in (1, 3, 10, 30, 100, 300, 1000) if distances[0] <= tick <= distances[-1]]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set(xlabel="distance |j − i| (positions)", ylabel="cosine similarity", ylim=(-0.15, 1.05))
    ax.legend(loc="upper right", frameon=False)
    return figure


def score_matrices(matrices: Sequence[np.ndarray], titles: Sequence[str]) -> Figure:
    """Scores of all pairs of positions side by side, each over its largest absolute value, centred on zero.

    Args:
        matrices: each [query positions, key positions].
        titles: one a matrix.
    """
    figure, axes = subplots(1, len(matrices), size=(7.2, 3.0), sharey=True, squeeze=False)
    for ax, matrix, title in zip(axes[0], matrices, titles, strict=True):
        scaled = np.asarray(matrix) / np.abs(matrix).max()
        image = ax.imshow(scaled, cmap=DIVERGING, vmin=-1, vmax=1)
        ax.set(title=title, xlabel="key position j")
        ax.spines[:].set_visible(True)
    axes[0][0].set_ylabel("query position i")
    figure.colorbar(image, ax=axes[0].tolist(), shrink=0.7, label="score / largest")
    return figure


def readback_by_width(widths: Sequence[int], exact: Sequence[float], within_one: Sequence[float], *, chance: float) -> Figure:
    """How often the position is read back from token plus position, against the width of the vectors.

    Args:
        widths: dimensions.
        exact: share of positions read exactly; within_one: read to within one position.
        chance: share that a guess gets exactly.
    """
    figure, ax = subplots(size=(7.2, 3.3))
    for shares, color in ((within_one, QUIET), (exact, INPUT)):
        ax.plot(widths, shares, "o-", color=color, markersize=4)
    middle = len(widths) // 2
    ax.annotate(
        "within one position",
        (widths[middle - 1], within_one[middle - 1]),
        xytext=(-8, 4),
        textcoords="offset points",
        color=QUIET,
        ha="right",
    )
    ax.annotate("exact", (widths[middle], exact[middle]), xytext=(6, -12), textcoords="offset points", color=INPUT)
    ax.axhline(chance, color=RULE, linewidth=0.8, zorder=0)
    label_line(ax, float(widths[0]), chance + 0.04, "chance", QUIET)
    ax.set_xscale("log", base=2)
    ax.set_xticks(widths, [str(width) for width in widths])
    ax.minorticks_off()
    ax.set(xlabel="width d (dimensions)", ylabel="share of positions read back", ylim=(0, 1.05))
    return figure
