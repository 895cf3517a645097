"""Made-up tasks whose right answer is known: sequences drawn from a seed, of any length asked for.

A task says how many tokens it uses and draws batches; what trains on it needs to know no more. Token 0
is the start token that a decoder reads first, and is never part of a source or a target.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Int

from seqpos._arrays import check_integer

START = 0
"""The token that a decoder reads before it has written any."""


class Batch(NamedTuple):
    """Rows of one length: what is read, `source`, and what is to be written, `target`."""

    source: Int[np.ndarray, "batch source_length"]
    target: Int[np.ndarray, "batch length"]


@runtime_checkable
class Task(Protocol):
    """What a trainer and a measurement ask of a task.

    `vocab_size` counts the start token; `chance` is the accuracy of a guess that has read nothing.
    """

    @property
    def vocab_size(self) -> int: ...

    @property
    def chance(self) -> float: ...

    def sample(self, length: int, *, batch_size: int, rng: np.random.Generator) -> Batch: ...


@dataclass(frozen=True)
class CopyTask:
    """Write what was read: random symbols, each as likely as any other, independent of the rest.

    Nothing can be guessed from the symbols before it, so an answer is right by memory or by chance.

    Args:
        symbols: how many different ones; they are the tokens 1 … symbols.
        reverse: whether the source is read last symbol first (the target stays in order).

    Raises:
        TypeError: `symbols` is not an integer. ValueError: `symbols` is below 1.

    Source: the copy problem of Graves et al. (1410.5401), section 4.1, with symbols in place of bits; the
    reversed source is the trick of Sutskever et al. (1409.3215), section 3.3.

    >>> batch = CopyTask(symbols=9).sample(5, batch_size=2, rng=np.random.default_rng(0))
    >>> batch.source.tolist() == batch.target.tolist(), batch.source.shape
    (True, (2, 5))
    """

    symbols: int = 10
    reverse: bool = False

    def __post_init__(self) -> None:
        check_integer("symbols", self.symbols, minimum=1)

    @property
    def vocab_size(self) -> int:
        """The symbols and the start token."""
        return self.symbols + 1

    @property
    def chance(self) -> float:
        """How often a guess of one symbol is right."""
        return 1 / self.symbols

    def sample(self, length: int, *, batch_size: int, rng: np.random.Generator) -> Batch:
        """A batch of `batch_size` rows of `length` symbols, int64; the generator decides which.

        Raises:
            ValueError: `length` or `batch_size` is below 1.
        """
        length = check_integer("length", length, minimum=1)
        batch_size = check_integer("batch_size", batch_size, minimum=1)
        target = rng.integers(1, self.symbols + 1, (batch_size, length))
        return Batch(source=target[:, ::-1].copy() if self.reverse else target, target=target)
