"""The drawings of the input door show the data they were given."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from seqpos.figures import sinusoidal as figures


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def curves(ax):
    """Lines that hold more than the two points of a rule."""
    return [line for line in ax.lines if len(line.get_xdata()) > 2]


def test_counter_and_waves_draws_each_column_on_its_own_row():
    bits = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    waves = np.array([[0.0, 0.0], [0.9, 0.5], [0.1, 0.9], [-0.9, 1.0]])
    figure = figures.counter_and_waves(bits, waves)
    left, right = figure.axes
    for ax, expected in ((left, 2 * bits - 1), (right, waves)):
        rows = curves(ax)
        assert len(rows) == 2
        for row, (line, tick) in enumerate(zip(rows, ax.get_yticks(), strict=True)):
            np.testing.assert_allclose(line.get_ydata() - tick, expected[:, row])
            np.testing.assert_array_equal(line.get_xdata(), np.arange(4))
    assert [text.get_text() for text in left.get_yticklabels()] == ["bit 0", "bit 1"]
    assert [text.get_text() for text in right.get_yticklabels()] == ["pair 0", "pair 1"]
    assert curves(left)[0].get_drawstyle().startswith("steps") and curves(right)[0].get_drawstyle() == "default"


def test_counter_rows_do_not_overlap():
    figure = figures.counter_and_waves(np.array([[0, 1], [1, 0], [0, 1]]), np.zeros((3, 2)))
    first, second = curves(figure.axes[0])
    assert first.get_ydata().min() > second.get_ydata().max()


def test_clock_hands_draws_the_sine_across_and_the_cosine_up():
    angles = np.array([[0.0, 0.0], [np.pi / 2, 0.01], [np.pi, 0.02]])
    vectors = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(3, 4)
    figure = figures.clock_hands(vectors, ["fast", "slow"])
    for pair, ax in enumerate(figure.axes):
        tips = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]
        np.testing.assert_allclose(tips, vectors[:, 2 * pair : 2 * pair + 2])
        assert ax.get_aspect() == 1.0
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["fast", "slow"]
    assert [text.get_text() for text in figure.axes[0].texts] == ["0", "1", "2"]
    assert [text.get_text() for text in figure.axes[1].texts] == ["0 – 2"]


def test_clock_hands_wants_a_title_for_each_pair():
    with pytest.raises(ValueError):
        figures.clock_hands(np.zeros((3, 4)), ["only one"])


def test_code_table_is_centred_on_zero():
    table = np.linspace(-0.5, 1, 12).reshape(3, 4)
    figure = figures.code_table(table)
    image = figure.axes[0].images[0]
    np.testing.assert_array_equal(image.get_array(), table)
    assert image.get_clim() == (-1, 1)


def test_similarity_by_distance_draws_lines_law_and_marks():
    distances = np.arange(1, 6)
    lines = {"a": np.array([0.9, 0.8, 0.85, 0.7, 0.6]), "b": np.array([0.9, 0.7, 0.6, 0.5, 0.4])}
    law = np.linspace(1, 0, 5)
    figure = figures.similarity_by_distance(distances, lines, law, marks={"a": 2})
    (ax,) = figure.axes
    drawn = {line.get_label(): line for line in ax.lines}
    for name, values in lines.items():
        np.testing.assert_array_equal(drawn[name].get_ydata(), values)
        np.testing.assert_array_equal(drawn[name].get_xdata(), distances)
    np.testing.assert_array_equal(drawn["logarithmic law"].get_ydata(), law)
    rings = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() == "o"]
    assert rings == [(2, 0.8)]
    assert ax.get_xscale() == "log"


def test_score_matrices_share_one_scale_after_division_by_the_largest():
    matrices = [np.array([[1.0, -2.0], [0.0, 1.0]]), np.array([[10.0, 5.0], [-5.0, 0.0]])]
    figure = figures.score_matrices(matrices, ["one", "two"])
    panels = figure.axes[:2]
    for ax, matrix in zip(panels, matrices, strict=True):
        np.testing.assert_allclose(ax.images[0].get_array(), matrix / np.abs(matrix).max())
        assert ax.images[0].get_clim() == (-1, 1)
    assert [ax.get_title(loc="left") for ax in panels] == ["one", "two"]


def test_readback_by_width_draws_both_shares():
    widths, exact, within_one = [16, 32, 64], [0.2, 0.5, 0.9], [0.4, 0.8, 1.0]
    figure = figures.readback_by_width(widths, exact, within_one, chance=0.01)
    (ax,) = figure.axes
    drawn = [list(line.get_ydata()) for line in ax.lines if line.get_marker() == "o"]
    assert drawn == [within_one, exact]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["16", "32", "64"]


@pytest.mark.parametrize(
    "figure",
    [
        lambda: figures.counter_and_waves(np.zeros((4, 2)), np.zeros((4, 2))),
        lambda: figures.clock_hands(np.tile([0.0, 1.0], (3, 3)), ["a", "b", "c"]),
        lambda: figures.code_table(np.zeros((4, 4))),
        lambda: figures.score_matrices([np.eye(3)] * 3, ["a", "b", "c"]),
        lambda: figures.readback_by_width([16, 32, 64], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0], chance=0.1),
    ],
)
def test_figures_fit_the_text_column(figure):
    assert figure().get_size_inches()[0] <= 7.2
