"""Figures of the geometry door: hands that turn, the block matrix, scores by distance, what a rotation costs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc

from seqpos.figures.style import DIVERGING, DOORS, INK, QUIET, RULE, label_line, subplots, zero_line

QUERY, KEY = DOORS["geometry"], DOORS["time"]


def turning_hands(angles: np.ndarray, titles: Sequence[str]) -> Figure:
    """One circle a pair, with the pair's hand at positions 0, 1, 2 …

    Args:
        angles: radians [pairs, positions], counter-clockwise from the first axis.
        titles: one for each pair.
    """
    figure, axes = subplots(1, len(angles), size=(7.2, 3.9), squeeze=False)
    for ax, hands, title in zip(axes[0], np.asarray(angles), titles, strict=True):
        _circle(ax)
        shades = np.linspace(0.35, 1.0, len(hands))
        for position, (angle, shade) in enumerate(zip(hands, shades, strict=True)):
            _hand(ax, angle, DOORS["geometry"], alpha=float(shade))
            ax.text(1.17 * np.cos(angle), 1.17 * np.sin(angle), str(position), ha="center", va="center", color=INK)
        ax.set_title(title)
    return figure


def moved_together(query_angles: Sequence[float], key_angles: Sequence[float], titles: Sequence[str]) -> Figure:
    """A query's and a key's hand, once in each panel, with the angle between them.

    Args:
        query_angles, key_angles: radians, one a panel.
        titles: one a panel.
    """
    figure, axes = subplots(1, len(titles), size=(7.2, 3.0), squeeze=False)
    for ax, query, key, title in zip(axes[0], query_angles, key_angles, titles, strict=True):
        _circle(ax)
        _hand(ax, query, QUERY)
        _hand(ax, key, KEY)
        for angle, name, color in ((query, "q", QUERY), (key, "k", KEY)):
            ax.text(1.18 * np.cos(angle), 1.18 * np.sin(angle), name, ha="center", va="center", color=color, weight="bold")
        degrees = np.degrees([query, key])
        ax.add_patch(Arc((0, 0), 0.8, 0.8, theta1=degrees.min(), theta2=degrees.max(), color=INK, linewidth=1.4))
        middle = (query + key) / 2
        ax.text(0.62 * np.cos(middle), 0.62 * np.sin(middle), f"{np.ptp(degrees):.0f}°", ha="center", va="center")
        ax.set_title(title)
    return figure


def rotation_matrices(matrices: Sequence[np.ndarray], titles: Sequence[str]) -> Figure:
    """Matrices [dim, dim] side by side, one colour scale centred on zero."""
    figure, axes = subplots(1, len(matrices), size=(7.2, 3.6), squeeze=False)
    limit = max(float(np.abs(matrix).max()) for matrix in matrices)
    for ax, matrix, title in zip(axes[0], matrices, titles, strict=True):
        image = ax.imshow(matrix, cmap=DIVERGING, vmin=-limit, vmax=limit)
        ax.set(title=title, xlabel="from dimension")
        ax.set_xticks(range(0, len(matrix), 2))
        ax.set_yticks(range(0, len(matrix), 2))
        ax.spines[:].set_visible(True)
    axes[0][0].set_ylabel("to dimension")
    figure.colorbar(image, ax=axes[0].tolist(), shrink=0.8, label="entry")
    return figure


def score_by_distance(
    distances: np.ndarray, panels: Sequence[tuple[str, np.ndarray, np.ndarray]], *, examples: Sequence[np.ndarray] = ()
) -> Figure:
    """Mean score with a band of one standard deviation, a panel for each kind of query and key.

    Args:
        distances: [n].
        panels: (title, mean [n], standard deviation [n]).
        examples: one drawn score [n] for each panel, a thin line.
    """
    figure, axes = subplots(1, len(panels), size=(7.2, 3.3), sharey=True, squeeze=False)
    for n, (ax, (title, mean, deviation)) in enumerate(zip(axes[0], panels, strict=True)):
        zero_line(ax)
        ax.fill_between(distances, mean - deviation, mean + deviation, color=DOORS["geometry"], alpha=0.2, linewidth=0)
        if examples:
            ax.plot(distances, examples[n], color=QUIET, linewidth=0.8, label="one draw")
        ax.plot(distances, mean, color=DOORS["geometry"], label="mean, with one standard deviation")
        ax.set(title=title, xlabel="distance (positions)")
    axes[0][0].set_ylabel("score q·k/√D")
    axes[0][-1].legend(loc="upper right", frameon=False)
    return figure


def times_by_length(lengths: Sequence[int], seconds: Mapping[str, Mapping[str, Sequence[float]]], device: str) -> Figure:
    """Milliseconds against length on logarithmic axes, a panel for each pass, a line for each form.

    Args:
        lengths: positions.
        seconds: `RotationTimes.seconds`.
        device: its name.
    """
    figure, axes = subplots(1, len(seconds), size=(7.2, 3.5), sharey=True, squeeze=False)
    colors = dict(zip(("matrix", "vector", "vector, compiled"), (QUIET, DOORS["time"], DOORS["geometry"]), strict=True))
    for ax, (what, by_form) in zip(axes[0], seconds.items(), strict=True):
        for form, times in by_form.items():
            ax.plot(lengths, 1e3 * np.asarray(times), "o-", color=colors[form], markersize=4)
            label_line(ax, float(lengths[-1]), 1e3 * float(times[-1]), form.replace(", ", ",\n"), colors[form])
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set_xticks(lengths, [str(length) for length in lengths])
        ax.minorticks_off()
        ax.set_xlim(lengths[0] / 1.2, lengths[-1] * (lengths[-1] / lengths[0]) ** 0.62)
        ax.set(title=what, xlabel="length (positions)")
    axes[0][0].set_ylabel("time of one call (ms)")
    figure.suptitle(device, x=0.01, ha="left", fontsize=10, color=QUIET)
    return figure


def training_race(panels: Mapping[str, Mapping[str, np.ndarray]], *, first_step: int = 1) -> Figure:
    """Training loss against steps, a panel for each set-up, a line for each scheme.

    Args:
        panels: by title and name, nats a character [steps].
        first_step: the step of the first loss.
    """
    figure, axes = subplots(1, len(panels), size=(7.2, 3.3), sharey=True, squeeze=False)
    for ax, (title, losses) in zip(axes[0], panels.items(), strict=True):
        for (name, series), door in zip(losses.items(), ("geometry", "input", "score", "time"), strict=False):
            ax.plot(first_step + np.arange(len(series)), series, color=DOORS[door], label=name)
        ax.set(title=title, xlabel="training step")
    axes[0][0].set_ylabel("loss (nats a character)")
    axes[0][-1].legend(loc="upper right", frameon=False)
    return figure


def _circle(ax: Axes) -> None:
    turn = np.linspace(0, 2 * np.pi, 200)
    ax.plot(np.cos(turn), np.sin(turn), color=RULE, linewidth=1.0, zorder=0)
    ax.axhline(0, color=RULE, linewidth=0.8, zorder=0)
    ax.axvline(0, color=RULE, linewidth=0.8, zorder=0)
    ax.set(xlim=(-1.35, 1.35), ylim=(-1.35, 1.35), aspect="equal")
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def _hand(ax: Axes, angle: float, color: str, alpha: float = 1.0) -> None:
    ax.plot([0, np.cos(angle)], [0, np.sin(angle)], color=color, alpha=alpha, solid_capstyle="round")
    ax.plot(np.cos(angle), np.sin(angle), "o", color=color, alpha=alpha, markersize=5)
