"""Fair timings: warmed up, synchronised with the device, medians of several, compared in one run."""

import platform
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import torch


def best_device() -> torch.device:
    """The GPU if torch sees one (CUDA first, then Apple's), else the CPU."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def device_name(device: torch.device) -> str:
    """The device's own name, with threads where it is a CPU."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    if device.type == "mps":
        return "Apple GPU (MPS)"
    threads = torch.get_num_threads()
    return f"CPU {platform.processor() or platform.machine()}, {threads} thread" + ("s" if threads > 1 else "")


def synchronize(device: torch.device) -> None:
    """Wait until the device has done what it was asked, so that the clock sees it."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def median_seconds(
    functions: dict[str, Callable[[], Any]], *, repeats: int = 7, warmup: int = 2, device: torch.device | None = None
) -> dict[str, float]:
    """Median seconds of each function, taken in turns so that a slow moment of the machine hits all alike.

    Args:
        functions: what to time, by name; called without arguments.
        repeats: timed rounds, at least 1; warmup: rounds before them that are not timed.
        device: where the work runs (default: the CPU); it is waited for before and after each call.

    Raises:
        ValueError: `repeats` below 1 or `warmup` below 0.

    >>> sorted(median_seconds({"a": lambda: None, "b": lambda: None}, repeats=3))
    ['a', 'b']
    """
    if repeats < 1 or warmup < 0:
        raise ValueError(f"repeats must be at least 1 and warmup at least 0, got {repeats} and {warmup}")
    device = device or torch.device("cpu")
    taken: dict[str, list[float]] = {name: [] for name in functions}
    for turn in range(warmup + repeats):
        for name, function in functions.items():
            synchronize(device)
            start = time.perf_counter()
            function()
            synchronize(device)
            if turn >= warmup:
                taken[name].append(time.perf_counter() - start)
    return {name: median(seconds) for name, seconds in taken.items()}
