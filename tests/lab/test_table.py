"""A table shows the same numbers as text and as Markdown."""

import pytest

from seqpos.lab.table import Table


def test_floats_are_rounded_and_booleans_spelled():
    table = Table(["a", "b", "c"], [[1.23456789, True, 12]])
    assert repr(table) == "a | b | c\n1.235 | yes | 12"
    assert repr(Table(["a"], [[1.23456789]], digits=6)).endswith("1.23457")


def test_markdown_has_one_line_a_row_and_escapes_bars():
    table = Table(["|x|", "y"], [["a|b", 2.0], [False, 3]])
    assert table._repr_markdown_().splitlines() == ["| \\|x\\| | y |", "| --- | --- |", "| a\\|b | 2 |", "| no | 3 |"]


def test_a_row_of_another_length_is_named():
    with pytest.raises(ValueError, match=r"rows must have one entry for each of \['a', 'b'\], got \[1\]"):
        Table(["a", "b"], [[1]])
