"""What torch.compile and torch.export make of the package, in a process where annotations are not enforced."""

import os
import subprocess
import sys

import pytest

SCRIPT = r"""
import torch
import seqpos
from seqpos.nn import Attention, DecoderLM, make_scheme

torch.manual_seed(0)
torch.set_num_threads(1)
same = torch.testing.assert_close
angles = seqpos.rotary_angles(torch.arange(5), seqpos.inverse_frequencies(6))
attention = Attention(16, 4, scheme=make_scheme("rope", dim=16, num_heads=4, max_positions=64))


def turn(x, half, angles, y):
    # Both layouts, both precisions and a whole layer in one graph: compiling is what costs.
    turned = [seqpos.rotate(t, angles, layout=layout) for layout in ("half", "interleaved") for t in (x, half)]
    return *turned, attention(y)


given = torch.randn(2, 5, 8), torch.randn(2, 5, 8).bfloat16(), angles, torch.randn(2, 5, 16)
same(torch.compile(turn, fullgraph=True, backend=BACKEND)(*given), turn(*given))

for name in SCHEMES:
    torch._dynamo.reset()
    scheme = make_scheme(name, dim=16, num_heads=4, max_positions=64)
    attention = Attention(16, 4, scheme=scheme)
    compiled = torch.compile(attention, fullgraph=True, backend="eager")
    with torch._dynamo.config.patch(error_on_recompile=False, recompile_limit=2, fail_on_recompile_limit_hit=True):
        for length in (4, 5, 6, 9):  # the second length makes lengths symbolic, and then there is nothing more to do
            x = torch.randn(2, length, 16)
            at = {"segments": torch.arange(length) // 3, "positions": torch.arange(length).flip(0)}
            same(compiled(x, **at), attention(x, **at))
    torch._dynamo.reset()
    compiled = torch.compile(attention, fullgraph=True, backend="eager")
    same(compiled(x, segments=at["segments"]), attention(x, segments=at["segments"]))

for name in EXPORTED:
    scheme = make_scheme(name, dim=16, num_heads=4, max_positions=64)
    model = DecoderLM(7, dim=16, num_layers=1, num_heads=4, scheme=scheme)
    tokens = torch.randint(7, (2, 6))
    exported = torch.export.export(model, (tokens,), strict=True).module()
    torch.testing.assert_close(exported(tokens), model(tokens))
print("same")
"""


def run(backend, schemes, exported=()):
    head = f"BACKEND, SCHEMES, EXPORTED = {backend!r}, {schemes!r}, {exported!r}\n"
    result = subprocess.run(
        [sys.executable, "-c", head + SCRIPT], capture_output=True, text=True, check=False, env=os.environ
    )
    assert result.returncode == 0, result.stderr[-3000:]
    assert result.stdout.strip() == "same"


def test_every_scheme_is_one_graph():
    """The eager backend traces the whole graph and needs no C++ compiler."""
    schemes = ["none", "sinusoidal", "learned", "shaw", "transformer_xl", "t5", "alibi", "rope"]
    run("eager", schemes, exported=["none", "sinusoidal", "t5", "alibi", "rope"])


def test_compiled_code_gives_the_same_numbers(cxx):
    run("inductor", [])


@pytest.fixture
def cxx():
    from torch._inductor.cpp_builder import get_cpp_compiler

    try:
        return get_cpp_compiler()
    except (RuntimeError, ImportError, OSError, TypeError) as error:  # which one depends on what is missing
        pytest.skip(f"no C++ compiler: {error}")
