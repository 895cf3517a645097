"""What nbval cannot see: that there is something to compare, and that a reader without eyes or network can follow."""

import copy
import re
from pathlib import Path

import nbformat
import pytest

from tests.book.toc import ROOT, notebooks, pages

SKIPS = {"nbval-skip", "nbval-raises-exception", "skip-execution", "raises-exception"}
PRIVATE = re.compile(r"0x[0-9a-fA-F]{6,}|(?<![\w.])/(?:home|root|work|tmp|Users|usr|opt|var|private|mnt)/\w|[A-Z]:\\Users|localhost|127\.0\.0\.1")


def outputs(cell):
    return cell.get("outputs", [])


def problems(notebook) -> list[str]:
    """Everything wrong with a notebook, a line each."""
    found, expected = [], 0
    source_of_all = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    if not re.search(r"^\s*(import seqpos|from seqpos)", source_of_all, re.MULTILINE):
        found.append("imports nothing of seqpos")
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        expected += 1
        tags = set(cell.metadata.get("tags", []))
        here = f"cell {number}: "
        if not cell.source.strip():
            found.append(here + "empty")
        if cell.execution_count != expected:
            found.append(here + f"executed as {cell.execution_count}, not as {expected}")
        if tags & SKIPS or re.search(r"NBVAL_SKIP|NBVAL_RAISES_EXCEPTION", cell.source):
            found.append(here + "skipped by nbval")
        if any(tag.startswith(("NBVAL", "nbval_")) for tag in tags):
            found.append(here + "a tag that nbval does not know: it reads nbval-ignore-output")
        ignored = "nbval-ignore-output" in tags or "NBVAL_IGNORE_OUTPUT" in cell.source
        if ignored != ("timing" in tags):
            found.append(here + "output ignored without being tagged as a timing, or the other way round")
        if "execution" in cell.metadata:
            found.append(here + "stores the time of its execution")
        for output in outputs(cell):
            if output.output_type == "error":
                found.append(here + f"stored error {output.ename}")
            if output.get("name") == "stderr":
                found.append(here + "stored stderr")
            data = output.get("data", {})
            texts = [output.get("text", ""), *(str(value) for kind, value in data.items() if kind.startswith("text/"))]
            for text in texts:
                if match := PRIVATE.search("".join(text)):
                    found.append(here + f"stores an address or a path of a machine: {match.group()}")
            if any(kind.startswith("image/") for kind in data):
                found += [here + problem for problem in image_problems(cell)]
    return found


def image_problems(cell) -> list[str]:
    described = cell.metadata.get("mystnb", {})
    alt = str(described.get("image", {}).get("alt", "")).strip()
    caption = str(described.get("figure", {}).get("caption", "")).strip()
    found = []
    if len(alt) < 60:
        found.append(f"figure with alternative text of {len(alt)} characters")
    if not caption:
        found.append("figure without a caption")
    if alt and alt == caption:
        found.append("figure whose alternative text repeats the caption")
    if not cell.source.rstrip().endswith("plt.show()"):
        found.append("plot cell that does not end with plt.show()")
    return found


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_notebook_is_clean(path: Path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert problems(notebook) == []


def test_notebooks_and_table_of_contents_agree():
    listed = {page for page in pages() if (ROOT / f"{page}.ipynb").exists()}
    present = {
        str(path.relative_to(ROOT).with_suffix(""))
        for path in (ROOT / "book").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    assert listed == present
    assert all(any((ROOT / f"{page}{ending}").exists() for ending in (".ipynb", ".md")) for page in pages())


def test_chapters_are_notebooks():
    assert len(notebooks()) >= 5


# A guard that cannot fail guards nothing: each rule is shown to catch the fault it is for.


@pytest.fixture
def clean():
    cell = nbformat.v4.new_code_cell("import seqpos\nplt.show()", execution_count=1)
    cell.metadata["mystnb"] = {
        "image": {"alt": "A long enough text that says the same to someone who cannot see the drawing."},
        "figure": {"caption": "What to see."},
    }
    cell.outputs = [nbformat.v4.new_output("display_data", data={"image/png": "", "text/plain": "<Figure>"})]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title"), cell])
    assert problems(notebook) == []
    return copy.deepcopy(notebook)


def error_output(cell):
    cell.outputs = [nbformat.v4.new_output("error", ename="ValueError", evalue="", traceback=[])]


def stream(text, name="stdout"):
    def spoil(cell):
        cell.outputs = [nbformat.v4.new_output("stream", name=name, text=text)]

    return spoil


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda cell: cell.update(execution_count=None), "executed as"),
        (lambda cell: cell.update(execution_count=2), "executed as"),
        (lambda cell: cell.update(source="  "), "empty"),
        (lambda cell: cell.update(source="import os\nplt.show()"), "imports nothing"),
        (lambda cell: cell.update(source="import seqpos\n# NBVAL_SKIP\nplt.show()"), "skipped"),
        (lambda cell: cell.metadata.update(tags=["nbval-skip"]), "skipped"),
        (lambda cell: cell.metadata.update(tags=["nbval-ignore-output"]), "ignored"),
        (lambda cell: cell.metadata.update(tags=["timing"]), "ignored"),
        (lambda cell: cell.metadata.update(tags=["timing", "NBVAL_IGNORE_OUTPUT"]), "does not know"),
        (lambda cell: cell.metadata.update(execution={"iopub.status.busy": "now"}), "time of its execution"),
        (error_output, "stored error"),
        (stream("careful", "stderr"), "stored stderr"),
        (stream("<object at 0x7f00deadbeef>"), "address"),
        (stream("/home/someone/book"), "path"),
        (stream("C:\\Users\\someone"), "path"),
        (stream("http://localhost:8888/lab"), "path"),
        (lambda cell: cell.metadata["mystnb"].pop("image"), "alternative text"),
        (lambda cell: cell.metadata["mystnb"].pop("figure"), "caption"),
        (lambda cell: cell.update(source="import seqpos\nfigure"), "plt.show"),
    ],
)
def test_each_rule_catches_its_fault(clean, spoil, word):
    spoil(clean.cells[1])
    assert any(word in problem for problem in problems(clean))
