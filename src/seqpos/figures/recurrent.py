"""Figures of the time door: states read word by word, the context vector, and what it forgets.

The door's colour is for whatever hands over one vector; ink is for whatever can look back.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from seqpos.figures import style

TIME = style.DOORS["time"]


def states_word_by_word(sentences: Sequence[Sequence[str]], states: Sequence[np.ndarray]) -> Figure:
    """One number of the state after each word, a panel a sentence, on one scale.

    Args:
        sentences: words in the order read; states: [words] for each, the number after each word.
    """
    figure, panels = style.subplots(1, len(sentences), size=(7.2, 2.7), sharey=True, squeeze=False)
    for axes, words, values in zip(panels[0], sentences, states, strict=True):
        style.zero_line(axes)
        axes.plot(range(len(words)), values, color=TIME, marker="o", markersize=6)
        for at, value in enumerate(values):
            following = values[min(at + 1, len(values) - 1)]
            above = value > 0 or (value == 0 and following <= 0)  # off the line that goes on from here
            axes.annotate(
                f"{value:.2f}".replace("-", "−"),
                (at, value),
                xytext=(0, 8 if above else -8),
                textcoords="offset points",
                ha="center",
                va="bottom" if above else "top",
                color=TIME,
            )
        axes.set_xticks(range(len(words)), words)
        axes.set_xlim(-0.4, len(words) - 0.6)
        axes.set_ylim(-1.4, 1.4)
        axes.set_yticks([-1, 0, 1])
        axes.set_title(" ".join(words))
        axes.set_xlabel("word just read")
    panels[0][0].set_ylabel("state")
    return figure


def encoder_decoder(source: Sequence[str], target: Sequence[str], *, attention: bool = False) -> Figure:
    """The encoder's states, the decoder's, and what passes between: one vector, or a weighing of all states.

    Args:
        source: words read; target: words written.
        attention: False draws the one context vector, True the lines of attention for one output.
    """
    figure, axes = style.subplots(size=(7.2, 3.0))
    gap = 1.5
    read_x = np.arange(len(source)) * 1.0
    write_x = read_x[-1] + 1.0 + gap + np.arange(len(target))
    context = ((read_x[-1] + write_x[0]) / 2, 1.9 if attention else 1.0)
    for t, (x, word) in enumerate(zip(read_x, source, strict=True), start=1):
        _box(axes, x, 1.0, f"$h_{t}$", TIME)
        axes.text(x, 0.05, word, ha="center", va="center")
        _arrow(axes, (x, 0.2), (x, 0.72))
        if t > 1:
            _arrow(axes, (x - 0.7, 1.0), (x - 0.3, 1.0))
    for t, (x, word) in enumerate(zip(write_x, target, strict=True), start=1):
        _box(axes, x, 1.0, f"$s_{t}$", style.QUIET)
        axes.text(x, 1.95, word, ha="center", va="center")
        _arrow(axes, (x, 1.28), (x, 1.78))
        if t > 1:
            _arrow(axes, (x - 0.7, 1.0), (x - 0.3, 1.0))
    if attention:
        chosen = 0
        _box(axes, context[0], context[1], f"$c_{chosen + 1}$", style.INK)
        for x in read_x:
            _arrow(axes, (x, 1.28), (context[0] - 0.32, context[1]), style.INK)
        _arrow(axes, (context[0] + 0.3, context[1] - 0.1), (write_x[chosen] - 0.2, 1.3), style.INK)
        _arrow(axes, (read_x[-1] + 0.3, 1.0), (write_x[0] - 0.3, 1.0))
        axes.text(context[0], 2.45, f"$c_{chosen + 1}$: all states, weighed anew for this word", ha="center", color=style.INK)
    else:
        _box(axes, context[0], context[1], "$c$", TIME, filled=True)
        _arrow(axes, (read_x[-1] + 0.3, 1.0), (context[0] - 0.3, 1.0))
        _arrow(axes, (context[0] + 0.3, 1.0), (write_x[0] - 0.3, 1.0))
        axes.text(context[0], 2.45, "all that passes is $c = h_L$", ha="center", color=TIME)
    axes.text(read_x.mean(), -0.5, "encoder reads", ha="center", color=style.QUIET)
    axes.text(write_x.mean(), -0.5, "decoder writes", ha="center", color=style.QUIET)
    axes.set_xlim(-0.6, write_x[-1] + 0.6)
    axes.set_ylim(-0.8, 2.8)
    axes.axis("off")
    return figure


def influence_against_distance(
    influence: Mapping[str, np.ndarray], *, bound: tuple[str, np.ndarray] | None = None
) -> Figure:
    """How much the last state moves with the token read some steps before it, on a logarithmic axis.

    Args:
        influence: by name, [distances], the norm at distance 0, 1, 2 …
        bound: a name and what one of them may not exceed, drawn thin.
    """
    figure, axes = style.subplots(size=(7.2, 3.6))
    styles = ["-", "--", "-."]
    ends = []
    for (name, values), line in zip(influence.items(), styles, strict=False):
        axes.semilogy(range(len(values)), values, line, color=TIME)
        ends.append((len(values) - 1, values[-1], name, TIME))
    if bound is not None:
        name, values = bound
        axes.semilogy(range(len(values)), values, ":", color=style.QUIET, linewidth=1.2)
        ends.append((len(values) - 1, values[-1], name, style.QUIET))
    longest = max(len(values) for values in influence.values())
    axes.set_xlim(0, longest * 1.42)
    axes.set_xticks(range(0, longest, 10))
    axes.set_xlabel("distance $L - t$, tokens", x=0.5 / 1.42)
    axes.set_ylabel("norm of $\\partial h_L / \\partial x_t$")
    _label_ends(axes, ends)
    return figure


def accuracy_against_length(
    lengths: Sequence[int], accuracy: Mapping[str, np.ndarray], *, chance: float, trained_to: int, looks_back: Sequence[str] = ()
) -> Figure:
    """Share of tokens written rightly against the length of what was read.

    Args:
        lengths: measured; accuracy: by name, [lengths].
        chance: drawn as a line; trained_to: the longest length of the training, marked.
        looks_back: the names that are drawn in ink, for models with attention.
    """
    figure, axes = style.subplots(size=(7.2, 3.6))
    styles, ends = iter(["--", "-", "-.", ":"]), []
    axes.axvspan(trained_to, lengths[-1], color=style.RULE, alpha=0.3, linewidth=0)
    axes.text(trained_to + 0.3, 1.04, "longer than trained", color=style.QUIET, va="bottom")
    for name, values in accuracy.items():
        if name in looks_back:
            axes.plot(lengths, values, color=style.INK, marker="o", markersize=4)
        else:
            axes.plot(lengths, values, next(styles), color=TIME, marker="o", markersize=4)
        ends.append((lengths[-1], values[-1], name, style.INK if name in looks_back else TIME))
    axes.axhline(chance, color=style.QUIET, linewidth=1.0, linestyle=":")
    axes.annotate("chance", (lengths[0], chance), xytext=(0, -3), textcoords="offset points", color=style.QUIET, va="top")
    axes.set_ylim(0, 1.12)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_xlim(lengths[0] - 0.5, lengths[-1] * 1.38)
    axes.set_xticks([length for length in lengths if length % 4 == 0 or length == 1])
    axes.set_xlabel("tokens to copy, $L$", x=0.5 / 1.3)
    axes.set_ylabel("share of tokens right")
    _label_ends(axes, ends)
    return figure


def attention_matrix(weights: np.ndarray, read: Sequence[str], written: Sequence[str]) -> Figure:
    """Attention weights: a row for each token written, a column for each token read.

    Args:
        weights: [written, read], rows summing to 1.
    """
    figure, axes = style.subplots(size=(4.8, 4.2))
    image = axes.imshow(weights, cmap=style.SEQUENTIAL, vmin=0, vmax=1)
    axes.set_xticks(range(len(read)), read)
    axes.set_yticks(range(len(written)), written)
    axes.set_xlabel("token read")
    axes.set_ylabel("token written")
    figure.colorbar(image, ax=axes, label="attention weight", shrink=0.85)
    return figure


def time_against_length(
    lengths: Sequence[int], seconds: Mapping[str, Sequence[float]], *, parallel: Sequence[str] = ()
) -> Figure:
    """Measured time of one forward pass against length, both axes logarithmic.

    Args:
        lengths: tokens; seconds: by name, [lengths].
        parallel: the names drawn in ink, for what computes all positions at once.
    """
    figure, axes = style.subplots(size=(7.2, 3.6))
    styles, ends = iter(["-", "--", "-.", ":"]), []
    for name, values in seconds.items():
        milliseconds = 1000 * np.asarray(values)
        color, line = (style.INK, "-") if name in parallel else (TIME, next(styles))
        axes.loglog(lengths, milliseconds, line, color=color, marker="o", markersize=4)
        ends.append((lengths[-1], milliseconds[-1], name, color))
    _label_ends(axes, ends)
    axes.set_xlim(lengths[0] * 0.9, lengths[-1] * (lengths[-1] / lengths[0]) ** 0.42)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.minorticks_off()
    axes.set_xlabel("tokens, $L$")
    axes.set_ylabel("milliseconds")
    return figure


def _label_ends(axes: Axes, ends: Sequence[tuple[int | float, float, str, str]]) -> None:
    """Direct labels at the ends of lines (x, y, text, colour), moved apart where they would overlap.

    Called when the curves are drawn, since it needs the scale that they give the axes.
    """
    gap = 13.0  # points between two baselines
    axes.get_ylim()  # scales the axes, which matplotlib puts off until asked
    to_points = 72 / axes.figure.dpi
    heights = [axes.transData.transform((x, y))[1] * to_points for x, y, _, _ in ends]
    order = sorted(range(len(ends)), key=lambda index: heights[index])
    placed = [heights[index] for index in order]
    for low, high in zip(range(len(placed)), range(1, len(placed)), strict=False):
        short = gap - (placed[high] - placed[low])
        if short > 0:
            placed[low] -= short / 2
            placed[high] += short / 2
    for index, height in zip(order, placed, strict=True):
        x, y, text, color = ends[index]
        axes.annotate(
            text, (x, y), xytext=(5, height - heights[index]), textcoords="offset points", color=color, va="center"
        )


def _box(axes: Axes, x: float, y: float, text: str, color: str, *, filled: bool = False) -> None:
    axes.add_patch(
        FancyBboxPatch(
            (x - 0.26, y - 0.24),
            0.52,
            0.48,
            boxstyle="round,pad=0.02,rounding_size=0.08",
            facecolor=color if filled else "white",
            edgecolor=color,
            linewidth=1.6,
        )
    )
    axes.text(x, y, text, ha="center", va="center", color="white" if filled else color, fontsize=12)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str = style.QUIET) -> None:
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=10, color=color, linewidth=1.2, shrinkA=0, shrinkB=0))
