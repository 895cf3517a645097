"""The comparison of the rotation's forms, at sizes that take no time, and what it times."""

import pytest
import torch

from seqpos import inverse_frequencies, rotary_angles, rotate
from seqpos.lab import rotation
from seqpos.lab.rotation import FORMS, PASSES, compare_rotations


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.bfloat16, 0.06)])
def test_both_forms_that_are_timed_are_the_rotation(layout, dtype, tolerance):
    torch.manual_seed(0)
    x, upstream = torch.randn(2, 2, 3, 5, 8, dtype=dtype)
    x.requires_grad_()
    frequencies = inverse_frequencies(8)
    cos, sin, matrices = rotation._tables(5, frequencies, torch.device("cpu"), dtype, layout)
    expected = rotate(x, rotary_angles(torch.arange(5), frequencies), layout=layout)
    (gradient,) = torch.autograd.grad(expected, x, upstream)
    assert cos.dtype == sin.dtype == (torch.float64 if dtype == torch.float64 else torch.float32)
    for turned in (rotation._matrix_form(x, matrices), rotation._vector_form(x, cos, sin, layout)):
        assert turned.dtype == dtype
        torch.testing.assert_close(turned, expected, atol=tolerance, rtol=tolerance)
        torch.testing.assert_close(torch.autograd.grad(turned, x, upstream)[0], gradient, atol=tolerance, rtol=tolerance)


def test_every_form_and_pass_has_a_time_for_every_length():
    times = compare_rotations(device="cpu", lengths=[3, 8], num_heads=2, head_dim=4, repeats=1, warmup=0)
    assert times.lengths == (3, 8) and times.device.startswith("CPU")
    forms = FORMS if times.note is None else FORMS[:2]
    assert tuple(times.seconds) == PASSES
    for by_form in times.seconds.values():
        assert tuple(by_form) == forms
        assert all(len(series) == 2 and min(series) > 0 for series in by_form.values())
    assert times.table_bytes == {"matrix": [3 * 16 * 4, 8 * 16 * 4], "vector": [3 * 4 * 4, 8 * 4 * 4]}
    assert len(times.table().rows) == 2 and times.table().rows[1][0] == 8


def test_where_nothing_compiles_one_line_says_so_and_the_rest_runs(monkeypatch):
    def no_compiler(function):
        def fails(*arguments):
            raise RuntimeError("no C++ compiler\nand a long story")

        return fails

    monkeypatch.setattr(torch, "compile", no_compiler)
    times = compare_rotations(device="cpu", lengths=[3, 8], num_heads=2, head_dim=4, repeats=1, warmup=0)
    assert times.note is not None and "torch.compile does not work here" in times.note and "\n" not in times.note
    assert all(tuple(by_form) == FORMS[:2] for by_form in times.seconds.values())


def test_the_number_of_threads_is_put_back():
    before = torch.get_num_threads()
    compare_rotations(device="cpu", lengths=[2], head_dim=4, repeats=1, warmup=0, threads=1, compile=False)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"lengths": [0]}, ValueError, "lengths"),
        ({"head_dim": 3}, ValueError, "dim"),
        ({"layout": "quarter"}, ValueError, "layout"),
        ({"dtype": torch.int64}, TypeError, "dtype"),
        ({"threads": 0}, ValueError, "threads"),
        ({"repeats": 0}, ValueError, "repeats"),
    ],
)
def test_bad_arguments_raise_and_are_named(options, error, named):
    with pytest.raises(error, match=named):
        compare_rotations(**{"device": "cpu", "lengths": [2], "head_dim": 4, "compile": False, **options})
