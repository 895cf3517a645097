"""Timings: what is called how often, in which order, and that a slower function is found slower."""

import time

import pytest
import torch

from seqpos.lab.timing import best_device, device_name, median_seconds


def test_functions_take_turns_and_warm_up_is_not_counted():
    calls = []
    seconds = median_seconds({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=3, warmup=2)
    assert calls == ["a", "b"] * 5 and set(seconds) == {"a", "b"}


def test_a_first_slow_call_does_not_move_the_median():
    pauses = iter([0.2, 0, 0, 0, 0.2, 0])
    assert median_seconds({"f": lambda: time.sleep(next(pauses))}, repeats=5, warmup=1)["f"] < 0.1


def test_the_slower_function_is_slower():
    seconds = median_seconds({"short": lambda: time.sleep(0.001), "long": lambda: time.sleep(0.02)}, repeats=3)
    assert seconds["long"] > 3 * seconds["short"]


@pytest.mark.parametrize("bad", [{"repeats": 0}, {"warmup": -1}])
def test_numbers_of_rounds_are_checked(bad):
    with pytest.raises(ValueError, match="repeats must be at least 1 and warmup at least 0"):
        median_seconds({}, **bad)


def test_a_device_has_a_name():
    device = best_device()
    assert device_name(device) and torch.zeros(1, device=device).device.type == device.type
    assert device_name(torch.device("cpu")).startswith("CPU")
