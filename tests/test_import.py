"""What an import costs: `import seqpos` needs neither torch nor matplotlib, and says so where they are missing."""

import subprocess
import sys

import pytest

WITHOUT_TORCH = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Missing())
"""


def run(code):
    return subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)


def test_importing_the_package_loads_neither_torch_nor_matplotlib():
    code = "import sys, seqpos; print([m for m in ('torch', 'matplotlib', 'transformers') if m in sys.modules])"
    result = run(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"


def test_functions_work_where_torch_is_missing():
    code = (
        f"{WITHOUT_TORCH}\n"
        "import seqpos, numpy as np\n"
        "angles = seqpos.rotary_angles([0, 1], seqpos.inverse_frequencies(4))\n"
        "print(seqpos.rotate(np.ones((2, 4)), angles).shape, seqpos.alibi_bias([0], [1], 2).shape)"
    )
    result = run(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "(2, 4) (2, 1, 1)"


def test_modules_say_that_they_need_torch():
    result = run(f"{WITHOUT_TORCH}\nimport seqpos.nn")
    assert result.returncode != 0
    assert "ImportError: seqpos.nn needs torch: pip install 'seqpos[torch]'" in result.stderr


@pytest.mark.parametrize("package", ["seqpos", "seqpos.nn"])
def test_public_names_exist_and_are_sorted(package):
    module = pytest.importorskip(package)
    assert list(module.__all__) == sorted(module.__all__)
    assert all(getattr(module, name).__doc__ for name in module.__all__)
