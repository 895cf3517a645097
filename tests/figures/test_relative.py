"""The figures of the score door draw what they were given."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from seqpos.figures import relative as figures


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def lines(ax):
    return [line for line in ax.get_lines() if len(line.get_xdata()) > 2]


def texts(ax):
    return {text.get_text() for text in ax.texts}


def test_bias_maps_share_one_scale_centred_on_zero():
    biases = {name: np.full((3, 4), value) for name, value in [("a", -1.0), ("b", 0.5), ("c", 2.0)]}
    figure = figures.bias_maps(biases, limit=2.5)
    panels = [ax for ax in figure.axes if ax.images and ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in panels] == ["a", "b", "c"]
    for ax, bias in zip(panels, biases.values(), strict=True):
        (image,) = ax.images
        assert np.array_equal(image.get_array(), bias) and image.get_clim() == (-2.5, 2.5)
    assert figure.get_size_inches()[0] <= 7.2


def test_the_staircase_has_a_labelled_line_each():
    distances = np.arange(1, 6)
    figure = figures.bucket_staircase(distances, {"one": distances // 2, "two": distances})
    (ax,) = figure.axes
    assert [line.get_ydata().tolist() for line in lines(ax)] == [[0, 1, 1, 2, 2], [1, 2, 3, 4, 5]]
    assert all(line.get_drawstyle() == "steps-post" for line in lines(ax))
    assert texts(ax) == {"one", "two"} and ax.get_xscale() == "log"


def test_cost_lines_are_log_log_with_labels_that_keep_apart():
    lengths = [64, 128, 256]
    times = {"near": [1.0, 2.0, 4.0], "nearly": [1.0, 2.0, 4.01], "far": [1.0, 4.0, 16.0]}
    (ax,) = figures.cost_lines(lengths, times).axes
    assert [line.get_ydata().tolist() for line in lines(ax)] == list(times.values())
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    heights = sorted(np.log(text.xy[1]) for text in ax.texts)
    assert texts(ax) == set(times) and min(np.diff(heights)) > 0.5
    assert ax.get_xlabel().endswith("(tokens)") and ax.get_ylabel().endswith("(ms)")


def test_loss_beyond_draws_both_panels_and_marks_the_trained_length():
    lengths, positions = [4, 8, 16], np.array([2.0, 6.0, 14.0])
    losses = {"a": [1.0, 1.1, 1.3], "b": [0.9, 0.9, 0.9]}
    added = {"a": np.array([0.0, 0.2, 0.4]), "b": np.array([0.0, 0.0, -0.01])}
    left, right = figures.loss_beyond(lengths, losses, positions, added).axes
    assert [line.get_ydata().tolist() for line in lines(left)] == list(losses.values())
    assert [line.get_ydata().tolist() for line in lines(right)] == [line.tolist() for line in added.values()]
    assert texts(right) == {"a", "b", "trained at 4"}
    for ax in (left, right):
        assert [4, 4] in [list(line.get_xdata()) for line in ax.get_lines()]
    assert "16" in right.get_title(loc="left")
