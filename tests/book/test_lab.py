"""The chapters read well in JupyterLab: the extension that renders their boxes loads in the Lab of the lock."""

import subprocess
import sys


def test_myst_extension_loads_in_the_locked_lab():
    listed = subprocess.run(
        [sys.executable, "-m", "jupyter", "labextension", "list"], capture_output=True, text=True, check=True
    )
    text = listed.stdout + listed.stderr
    line = next(line for line in text.splitlines() if "jupyterlab-myst v" in line)
    assert "enabled" in line and "OK" in line, line
    assert "not compatible" not in text
