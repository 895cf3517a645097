"""The instrument is checked on schemes whose answers are known beforehand."""

import numpy as np
import pytest

from seqpos import alibi_bias, sinusoidal_embedding
from seqpos.lab.scorecard import measure_code, measure_score, scorecard_table


def fixed(function):
    return lambda seed: function


def test_a_score_that_falls_with_distance_is_perfect_and_its_mirror_is_never_right():
    falling = measure_score("falling", fixed(lambda i, j: -np.abs(j[None] - i[:, None]).astype(float)))
    rising = measure_score("rising", fixed(lambda i, j: np.abs(j[None] - i[:, None]).astype(float)))
    assert falling.near_beats_far == 1 and rising.near_beats_far == 0
    assert falling.growth == pytest.approx(511 / 63) and falling.any_length and falling.deterministic


def test_ties_count_as_half():
    assert measure_score("flat", fixed(lambda i, j: np.ones((len(i), len(j))))).near_beats_far == 0.5


def test_points_on_an_arc_of_a_circle_order_by_angle():
    arc = measure_code("arc", fixed(lambda i: np.stack([np.cos(i / 1000), np.sin(i / 1000)], axis=-1)))
    assert arc.near_beats_far == 1 and arc.growth == pytest.approx(1)


def test_closeness_of_codes_is_the_cosine_so_their_length_does_not_matter():
    code = lambda i: sinusoidal_embedding(i, 16)
    longer = lambda i: (1 + i[:, None]) * sinusoidal_embedding(i, 16)
    assert measure_code("p", fixed(code)).near_beats_far == measure_code("long", fixed(longer)).near_beats_far


def test_a_code_that_ends_has_no_growth_and_says_why():
    def table(positions):
        if positions.max() >= 64:
            raise ValueError("only 64 rows")
        return np.ones((len(positions), 2))

    card = measure_code("table", fixed(table))
    assert card.growth is None and not card.any_length and card.longest == "only 64 rows"
    assert "not measured" in repr(scorecard_table([card]))


def test_copies_that_differ_are_not_deterministic():
    assert not measure_code("random", lambda seed: lambda i: np.random.default_rng(seed).normal(size=(len(i), 4))).deterministic


def test_growth_compares_eight_times_the_length():
    assert measure_score("ALiBi", fixed(lambda i, j: alibi_bias(i, j, 1)[0]), length=10).growth == pytest.approx(79 / 9)


def test_too_short_a_length_is_named():
    with pytest.raises(ValueError, match="length must be an integer of at least 3, got 2"):
        measure_code("short", fixed(lambda i: i[:, None] + 0.0), length=2)
