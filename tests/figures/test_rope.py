"""The figures of the geometry door show the data they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from seqpos import rotary_angles, rotation_matrix
from seqpos.figures import rope


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def _tips(axes):
    """The ends of the drawn hands, in order: each is a line of two points from the origin."""
    lines = [line.get_xydata() for line in axes.get_lines()]
    return np.array([xy[1] for xy in lines if len(xy) == 2 and np.array_equal(xy[0], [0, 0]) and np.hypot(*xy[1]) > 0.99])


def test_hands_stand_at_their_angles_counter_clockwise():
    angles = rotary_angles(np.arange(7), [1.0, 0.1]).T
    figure = rope.turning_hands(angles, ["fast", "slow"])
    for axes, hands in zip(figure.axes, angles, strict=True):
        tips = _tips(axes)[-len(hands) :]
        np.testing.assert_allclose(tips, np.stack([np.cos(hands), np.sin(hands)], axis=-1))
        assert [text.get_text() for text in axes.texts] == [str(n) for n in range(7)]
        assert axes.get_aspect() == 1


def test_the_angle_between_is_drawn_and_named():
    figure = rope.moved_together([0.5, 3.0], [1.5, 4.0], ["a", "b"])
    for axes, query in zip(figure.axes, (0.5, 3.0), strict=True):
        (arc,) = axes.patches
        assert arc.theta1 == pytest.approx(np.degrees(query))
        assert arc.theta2 - arc.theta1 == pytest.approx(np.degrees(1.0))
        assert [text.get_text() for text in axes.texts] == ["q", "k", "57°"]


def test_matrices_share_a_scale_centred_on_zero():
    matrices = [rotation_matrix(rotary_angles(3, [1.0, 0.1]), layout=layout) for layout in ("interleaved", "half")]
    figure = rope.rotation_matrices(matrices, ["interleaved", "half"])
    images = [axes.images[0] for axes in figure.axes if axes.images]
    for image, matrix in zip(images, matrices, strict=True):
        np.testing.assert_array_equal(image.get_array(), matrix)
        low, high = image.get_clim()
        assert low == -high
    assert images[0].get_clim() == images[1].get_clim()


def test_scores_show_mean_band_and_one_draw():
    distance, mean, deviation = np.arange(5), np.linspace(8, 4, 5), np.full(5, 0.5)
    figure = rope.score_by_distance(
        distance, [("q = k", mean, deviation), ("independent", 0 * mean, deviation)], examples=[mean + 1, mean - 9]
    )
    left, right = figure.axes
    np.testing.assert_array_equal(left.get_lines()[-1].get_ydata(), mean)
    np.testing.assert_array_equal(left.get_lines()[-2].get_ydata(), mean + 1)
    band = left.collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() == 3.5 and band.max() == 8.5
    assert left.get_ylim() == right.get_ylim()


def test_times_are_in_milliseconds_on_logarithmic_axes():
    seconds = {"forward": {"matrix": [0.001, 0.002], "vector": [0.0001, 0.0002]}}
    figure = rope.times_by_length([256, 512], seconds, "a device")
    (axes,) = figure.axes
    np.testing.assert_allclose([line.get_ydata() for line in axes.get_lines()], [[1, 2], [0.1, 0.2]])
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert {text.get_text() for text in axes.texts} == {"matrix", "vector"}
    assert figure.get_suptitle() == "a device"


def test_the_race_starts_at_the_step_it_is_told():
    losses = {"RoPE": np.array([3.0, 2.0]), "sinusoidal": np.array([3.1, 2.5])}
    figure = rope.training_race({"small": losses, "large": losses}, first_step=10)
    for axes in figure.axes:
        for line, series in zip(axes.get_lines(), losses.values(), strict=True):
            assert line.get_xdata().tolist() == [10, 11]
            np.testing.assert_array_equal(line.get_ydata(), series)
    left, right = figure.axes
    assert left.get_ylim() == right.get_ylim()
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["RoPE", "sinusoidal"]


def test_figures_fit_the_text_column():
    figures = [
        rope.turning_hands(np.zeros((2, 3)), ["a", "b"]),
        rope.moved_together([0.0], [1.0], ["a"]),
        rope.rotation_matrices([np.eye(4)], ["a"]),
        rope.times_by_length([1, 2], {"forward": {"matrix": [1.0, 2.0]}}, "a device"),
    ]
    assert all(figure.get_figwidth() <= 7.2 for figure in figures)
