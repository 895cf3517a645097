"""requirements.txt is a whole lock: exact, from no private place, and of what pyproject.toml asks for."""

import re
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.book.toc import ROOT

LINES = [
    line
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("#")
]


def test_every_line_is_exact():
    assert LINES.count("--editable .") == 1
    pins = [line for line in LINES if line != "--editable ."]
    # No address, no option, no local version such as +cpu, which another machine's index lacks.
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9][\w.-]*==[\w.]+", pin)] == []
    names = [canonicalize_name(pin.split("==")[0]) for pin in pins]
    assert sorted(set(names)) == sorted(names)


def test_the_lock_satisfies_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [Requirement(line) for line in [*project["dependencies"], *extras["book"], *extras["test"], *extras["parity"]]]
    locked = {canonicalize_name(name): version for name, version in (line.split("==") for line in LINES if "==" in line)}
    unmet = [
        str(requirement)
        for requirement in wanted
        if not requirement.specifier.contains(locked.get(canonicalize_name(requirement.name), "0"), prereleases=True)
    ]
    assert unmet == []
