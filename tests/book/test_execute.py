"""A second run of a notebook leaves the file as it was."""

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.book.execute import execute

pytestmark = pytest.mark.filterwarnings("ignore")  # the kernel's own


def stored(path, *sources):
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{number}") for number, source in enumerate(sources)]
    cells[0].metadata["tags"] = ["kept"]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_runs_in_place_and_settles(tmp_path):
    path = stored(tmp_path / "one.ipynb", "import os; print(os.path.exists('one.ipynb'))", "1 + 1")
    execute(path, timeout=60)
    once = path.read_text(encoding="utf-8")
    notebook = nbformat.read(path, as_version=4)
    assert [cell.execution_count for cell in notebook.cells] == [1, 2]
    assert notebook.cells[0].outputs[0].text == "True\n"
    assert notebook.cells[0].metadata == {"tags": ["kept"]}
    assert notebook.metadata.language_info == {"name": "python"}
    execute(path, timeout=60)
    assert path.read_text(encoding="utf-8") == once
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_failing_cell_leaves_the_file(tmp_path):
    path = stored(tmp_path / "one.ipynb", "x = 1", "1 / 0")
    before = path.read_text(encoding="utf-8")
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        execute(path, timeout=60)
    assert path.read_text(encoding="utf-8") == before
