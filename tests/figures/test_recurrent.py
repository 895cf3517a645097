"""The figures of the time door draw what they are given."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

from seqpos.figures import recurrent, style


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_states_word_by_word_draws_every_state_on_one_scale():
    sentences = [["the", "dog"], ["a", "man", "bit"]]
    states = [np.array([0.1, -0.9]), np.array([0.0, 0.5, 0.25])]
    figure = recurrent.states_word_by_word(sentences, states)
    for axes, words, values in zip(figure.axes, sentences, states, strict=True):
        np.testing.assert_array_equal(axes.lines[1].get_ydata(), values)
        assert [label.get_text() for label in axes.get_xticklabels()] == words
        assert texts(axes) == [f"{value:.2f}".replace("-", "−") for value in values]
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()


@pytest.mark.parametrize("attention", [False, True])
def test_encoder_decoder_names_every_word_and_state(attention):
    axes = recurrent.encoder_decoder(["x", "y", "z"], ["u", "v"], attention=attention).axes[0]
    drawn = texts(axes)
    for expected in ["x", "y", "z", "u", "v", "$h_1$", "$h_3$", "$s_1$", "$s_2$"]:
        assert drawn.count(expected) == 1
    assert ("$c$" in drawn) is not attention
    assert ("$c_1$" in drawn) is attention


def test_influence_draws_curves_and_bound_on_a_log_axis():
    influence = {"one": 0.5 ** np.arange(21), "two": 0.9 ** np.arange(21)}
    axes = recurrent.influence_against_distance(influence, bound=("limit", np.full(21, 2.0))).axes[0]
    assert axes.get_yscale() == "log"
    for line, values in zip(axes.lines, [*influence.values(), np.full(21, 2.0)], strict=True):
        np.testing.assert_array_equal(line.get_ydata(), values)
        np.testing.assert_array_equal(line.get_xdata(), np.arange(21))
    assert sorted(texts(axes)) == ["limit", "one", "two"]


def test_accuracy_draws_curves_chance_and_the_trained_length():
    lengths, accuracy = [1, 4, 8], {"fixed": np.array([1.0, 0.8, 0.3]), "looks": np.array([1.0, 1.0, 0.9])}
    axes = recurrent.accuracy_against_length(lengths, accuracy, chance=0.1, trained_to=4, looks_back=["looks"]).axes[0]
    by_color = {line.get_color(): line for line in axes.lines}
    np.testing.assert_array_equal(by_color[style.DOORS["time"]].get_ydata(), accuracy["fixed"])
    np.testing.assert_array_equal(by_color[style.INK].get_ydata(), accuracy["looks"])
    assert list(axes.lines[-1].get_ydata()) == [0.1, 0.1]
    low, high = axes.patches[0].get_x(), axes.patches[0].get_x() + axes.patches[0].get_width()
    assert (low, high) == (4, 8)


def test_attention_matrix_shows_the_weights_on_a_fixed_scale():
    weights = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
    image = recurrent.attention_matrix(weights, ["a", "b", "c"], ["d", "e"]).axes[0].images[0]
    np.testing.assert_array_equal(image.get_array(), weights)
    assert image.get_clim() == (0, 1)


def test_time_draws_milliseconds_on_log_axes():
    axes = recurrent.time_against_length([64, 256], {"loop": [0.001, 0.004], "all": [0.002, 0.003]}, parallel=["all"]).axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    np.testing.assert_allclose(axes.lines[0].get_ydata(), [1.0, 4.0])
    np.testing.assert_allclose(axes.lines[1].get_ydata(), [2.0, 3.0])
    assert [line.get_color() for line in axes.lines] == [style.DOORS["time"], style.INK]


def test_labels_of_lines_that_end_together_do_not_overlap():
    lengths, together = [1, 4, 8], np.array([1.0, 0.5, 0.2])
    figure = recurrent.accuracy_against_length(lengths, {"a": together, "b": together + 0.001}, chance=0.1, trained_to=4)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text() in ("a", "b")]
    assert len(boxes) == 2
    assert not boxes[0].overlaps(boxes[1])
