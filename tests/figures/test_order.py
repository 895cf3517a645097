"""The drawn data of the figures on order-blindness, read back."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from seqpos.figures.order import doors, weights_before_and_after
from seqpos.figures.style import DOORS


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_both_grids_show_their_weights_on_one_scale():
    before, after = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([[0.1, 0.9], [0.3, 0.7]])
    figure = weights_before_and_after(before, after, ["a", "b"], ["b", "a"])
    images = [axes.images[0] for axes in figure.axes[:2]]
    np.testing.assert_array_equal(images[0].get_array(), before)
    np.testing.assert_array_equal(images[1].get_array(), after)
    assert images[0].get_clim() == images[1].get_clim() == (0, 0.9)
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["b", "a"]


def test_every_door_stands_in_the_diagram_in_its_colour():
    figure = doors()
    texts = {text.get_text().split(":")[0]: text.get_color() for text in figure.axes[0].texts if ":" in text.get_text()}
    assert {name: to_rgb(color) for name, color in texts.items()} == {name: to_rgb(color) for name, color in DOORS.items()}
