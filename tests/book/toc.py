"""The pages of _toc.yml, for the Makefile and the tests.

`python -m tests.book.toc` prints the notebooks; with `--check-site FOLDER` it fails unless every page was built.
"""

import argparse
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def pages(toc: Path = ROOT / "_toc.yml") -> list[str]:
    """Every page of the table of contents, without its ending, the root first."""

    def walk(entry) -> list[str]:
        if isinstance(entry, list):
            return [page for item in entry for page in walk(item)]
        if not isinstance(entry, dict):
            return []
        own = [entry[key] for key in ("root", "file") if key in entry]
        return own + [page for key in ("parts", "chapters", "sections") for page in walk(entry.get(key))]

    return walk(yaml.safe_load(toc.read_text(encoding="utf-8")))


def notebooks() -> list[Path]:
    """The notebooks among the pages."""
    return [path for path in (ROOT / f"{page}.ipynb" for page in pages()) if path.exists()]


def missing_pages(site: Path) -> list[str]:
    """Pages of the table of contents that the built site lacks, and its own front door."""
    wanted = ["index", *pages()]
    return [page for page in wanted if not (site / f"{page}.html").is_file()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check-site", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.check_site is None:
        print(*(path.relative_to(ROOT) for path in notebooks()))
    else:
        missing = missing_pages(arguments.check_site)
        if missing:
            sys.exit(f"The site in {arguments.check_site} lacks these pages of _toc.yml: {', '.join(missing)}")
