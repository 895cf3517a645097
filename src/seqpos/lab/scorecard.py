"""Four things asked of a position code, each answered by a measurement.

Does distance show? Is it bounded? Does it work for any length? Is it deterministic? Every chapter of the book
puts its schemes through `measure_code` (input and time doors: one vector a position) or `measure_score`
(score and geometry doors: one number for a query's and a key's position).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from seqpos._arrays import check_integer
from seqpos.lab.table import Table

Code = Callable[[np.ndarray], np.ndarray]
"""From positions [length] to vectors [length, dim]."""
Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From query positions [q] and key positions [k] to numbers [q, k]; larger means closer."""


@dataclass(frozen=True)
class Scorecard:
    """One scheme's answers.

    `near_beats_far` is the share of triples (i, j, k), j nearer to i than k is, whose nearer pair scores higher: 1 is
    perfect, 0.5 is chance, and ties count as half. `growth` is the largest absolute value over 8 · length positions
    divided by that over `length` positions: 1 means bounded, None that the longer range could not be asked. `longest` says
    what happened at 8 · length: None if it worked, else the error. `deterministic` says whether two fresh copies agree.
    """

    name: str
    near_beats_far: float
    growth: float | None
    longest: str | None
    deterministic: bool

    @property
    def any_length(self) -> bool:
        return self.longest is None


def measure_code(name: str, make: Callable[[int], Code], *, length: int = 64, seed: int = 0) -> Scorecard:
    """The answers of a code that gives each position a vector; closeness is the cosine of two vectors.

    Args:
        name: for the table.
        make: from a seed to a code; a code that is trained or random uses the seed.
        length: positions 0 … length-1 are the ones it was made for; 8 · length is asked of it too.
        seed: of the triples drawn, and of `make`.

    Raises:
        ValueError: `length` below 3.

    >>> counter = measure_code("counter", lambda seed: lambda positions: positions[:, None] + 0.0)
    >>> counter.growth > 7, counter.any_length
    (True, True)
    """

    def score_of(code: Code) -> Score:
        def score(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
            return _unit(code(queries)) @ _unit(code(keys)).T

        return score

    return _measure(name, make, score_of, lambda code, positions: code(positions), length, seed)


def measure_score(name: str, make: Callable[[int], Score], *, length: int = 64, seed: int = 0) -> Scorecard:
    """The answers of a scheme that gives a query's and a key's position a number; arguments as in `measure_code`.

    >>> from seqpos import alibi_bias
    >>> alibi = measure_score("ALiBi", lambda seed: lambda i, j: alibi_bias(i, j, 1)[0])
    >>> alibi.near_beats_far, alibi.growth > 7
    (1.0, True)
    """
    return _measure(name, make, lambda score: score, lambda score, positions: score(positions, positions), length, seed)


def scorecard_table(cards: Sequence[Scorecard]) -> Table:
    """The scorecards side by side."""
    columns = ["scheme", "distance shows: near beats far", "bounded: growth at 8×", "any length", "deterministic"]
    rows = [
        [c.name, c.near_beats_far, "not measured" if c.growth is None else c.growth, c.any_length, c.deterministic]
        for c in cards
    ]
    return Table(columns, rows)


def _measure(name: str, make: Callable, score_of: Callable, values: Callable, length: int, seed: int) -> Scorecard:
    length = check_integer("length", length, minimum=3)
    scheme, again = make(seed), make(seed + 1)
    positions, far = np.arange(length), np.arange(8 * length)
    near_values = np.asarray(values(scheme, positions))
    scores = np.asarray(score_of(scheme)(positions, positions))
    try:
        far_values = np.asarray(values(scheme, far))
        growth, longest = float(np.abs(far_values).max() / np.abs(near_values).max()), None
    except (ValueError, IndexError) as error:
        growth, longest = None, str(error)
    return Scorecard(
        name=name,
        near_beats_far=_near_beats_far(scores, np.random.default_rng(seed)),
        growth=growth,
        longest=longest,
        deterministic=bool(np.array_equal(near_values, np.asarray(values(again, positions)))),
    )


def _near_beats_far(scores: np.ndarray, rng: np.random.Generator, triples: int = 20_000) -> float:
    i, j, k = rng.integers(0, len(scores), (3, triples))
    near, far = np.abs(j - i), np.abs(k - i)
    keep = (near < far) & (near > 0)
    i, j, k = i[keep], j[keep], k[keep]
    # Rounded, so that a tie in exact arithmetic is a tie here.
    difference = np.round(scores[i, j] - scores[i, k], 9)
    return float(np.mean(np.where(difference > 0, 1.0, np.where(difference == 0, 0.5, 0.0))))


def _unit(vectors: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(norms == 0, 1.0, norms)
