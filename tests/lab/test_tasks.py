"""Tasks: what is drawn, from which tokens, and that the generator decides."""

import numpy as np
import pytest

from seqpos.lab.tasks import START, CopyTask


def test_copy_gives_back_what_was_read(rng):
    source, target = CopyTask(symbols=5).sample(7, batch_size=3, rng=rng)
    assert source.shape == target.shape == (3, 7)
    assert source.dtype == target.dtype == np.int64
    np.testing.assert_array_equal(source, target)


def test_reverse_turns_the_source_and_leaves_the_target():
    draws = [CopyTask(symbols=9, reverse=reverse).sample(6, batch_size=4, rng=np.random.default_rng(1)) for reverse in (False, True)]
    np.testing.assert_array_equal(draws[0].target, draws[1].target)
    np.testing.assert_array_equal(draws[1].source[:, ::-1], draws[1].target)
    assert draws[1].source.flags["C_CONTIGUOUS"]


def test_every_symbol_comes_up_about_as_often_and_the_start_token_never(rng):
    task = CopyTask(symbols=4)
    source = task.sample(100, batch_size=400, rng=rng).source
    counts = np.bincount(source.ravel(), minlength=task.vocab_size)
    assert len(counts) == task.vocab_size == 5
    assert counts[START] == 0
    # Five standard deviations of a count of 40,000 draws at 1/4.
    np.testing.assert_allclose(counts[1:], 10_000, atol=5 * np.sqrt(40_000 * 0.25 * 0.75))
    assert task.chance == 0.25


def test_the_generator_decides():
    task = CopyTask()
    first, same, other = (task.sample(8, batch_size=2, rng=np.random.default_rng(seed)).source for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("options", [{"length": 0, "batch_size": 1}, {"length": 1, "batch_size": 0}])
def test_sizes_below_one_are_errors(options, rng):
    with pytest.raises(ValueError, match="at least 1, got 0"):
        CopyTask().sample(options["length"], batch_size=options["batch_size"], rng=rng)


def test_symbols_below_one_are_an_error():
    with pytest.raises(ValueError, match="symbols must be an integer of at least 1, got 0"):
        CopyTask(symbols=0)
    with pytest.raises(TypeError, match="symbols"):
        CopyTask(symbols=2.5)
