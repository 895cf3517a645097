"""A small table that a notebook shows as Markdown and a terminal as text, the same numbers in both."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, repr=False)
class Table:
    """Rows under column names; floats are shown to `digits` significant figures.

    >>> Table(["length", "seconds"], [[128, 0.123456]])
    length | seconds
    128 | 0.1235
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    digits: int = 4

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"rows must have one entry for each of {list(self.columns)}, got {list(row)}")

    def _cell(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            return f"{value:.{self.digits}g}"
        return str(value)

    def _lines(self) -> list[list[str]]:
        return [[str(name) for name in self.columns], *([self._cell(value) for value in row] for row in self.rows)]

    def __repr__(self) -> str:
        return "\n".join(" | ".join(line) for line in self._lines())

    def _repr_markdown_(self) -> str:
        head, *body = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in self._lines()]
        return "\n".join([head, "|" + " --- |" * len(self.columns), *body])
