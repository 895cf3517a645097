"""How many threads of the CPU torch may use, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from seqpos._arrays import check_integer


@contextmanager
def use_threads(number: int) -> Iterator[None]:
    """CPU threads of torch within a `with` block, or within a function that this decorates; put back after it.

    Args:
        number: at least 1. One suits small tensors: several threads wait for each other at every small step,
            and for a core whenever another program holds one.

    Raises:
        TypeError, ValueError: `number` is not an integer of at least 1.

    >>> with use_threads(1):
    ...     torch.get_num_threads()
    1
    """
    number, before = check_integer("threads", number, minimum=1), torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
