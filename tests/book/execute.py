"""Run notebooks again and store their outputs, so that a second run changes as little as it can.

`python -m tests.book.execute` takes every notebook of _toc.yml, or the ones that it is given. A notebook is
written only when all of its cells have run.
"""

import argparse
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from tests.book.toc import ROOT, notebooks

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def normalise(notebook) -> None:
    """Drop what differs from machine to machine and from run to run."""
    for key in METADATA:
        notebook.metadata.pop(key, None)
    notebook.metadata.update(METADATA)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def execute(path: Path, *, timeout: int) -> None:
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    normalise(notebook)
    partial = path.with_suffix(".partial")
    nbformat.write(notebook, partial)
    partial.replace(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="NOTEBOOK")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one cell")
    arguments = parser.parse_args()
    for path in arguments.paths or notebooks():
        path = path.resolve()
        print(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path, flush=True)
        execute(path, timeout=arguments.timeout)
