"""What a state keeps, and the trainer: against closed forms, and against what a model can and cannot do."""

import numpy as np
import pytest
import torch

from seqpos import elman_cell
from seqpos.lab.seq2seq import influence_of_inputs, position_accuracy, token_accuracy, train_seq2seq
from seqpos.lab.tasks import START, CopyTask
from seqpos.nn import Seq2Seq

TASK = CopyTask(symbols=4)


def model(seed=0, attention=False, hidden_size=16):
    torch.manual_seed(seed)
    return Seq2Seq(TASK.vocab_size, embedding_dim=8, hidden_size=hidden_size, attention=attention)


def test_influence_of_a_linear_network_is_a_power_of_its_matrix():
    u = torch.randn(5, 5, dtype=torch.float64)
    w = torch.randn(5, 3, dtype=torch.float64)
    measured = influence_of_inputs(lambda x, h: x @ w.T + h @ u.T, torch.randn(6, 3, dtype=torch.float64), torch.zeros(5, dtype=torch.float64))
    expected = [torch.linalg.matrix_norm(torch.linalg.matrix_power(u, distance) @ w).item() for distance in range(6)]
    np.testing.assert_allclose(measured, expected, rtol=1e-12)


def test_influence_agrees_with_finite_differences():
    weights = dict(input_weight=torch.randn(4, 2).double(), hidden_weight=torch.randn(4, 4).double(), bias=torch.randn(4).double())
    inputs, step = torch.randn(5, 2).double(), lambda x, h: elman_cell(x, h, **weights)

    def last(inputs):
        h = torch.zeros(4).double()
        for x in inputs:
            h = step(x, h)
        return h

    measured = influence_of_inputs(step, inputs, torch.zeros(4).double())
    for distance in range(5):
        columns = []
        for entry in range(2):
            nudge = torch.zeros_like(inputs)
            nudge[4 - distance, entry] = 1e-6
            columns.append((last(inputs + nudge) - last(inputs - nudge)) / 2e-6)
        np.testing.assert_allclose(measured[distance], torch.stack(columns).norm().item(), rtol=1e-6)


def test_influence_of_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least 1"):
        influence_of_inputs(lambda x, h: h, torch.zeros(0, 2), torch.zeros(3))


@pytest.mark.parametrize("attention", [False, True])
def test_training_learns_to_copy_short_rows(attention):
    net = model(attention=attention)
    before = token_accuracy(net, TASK, lengths=[1, 2])
    losses = train_seq2seq(net, TASK, lengths=[1, 2], steps=150, batch_size=32, learning_rate=1e-2)
    assert len(losses) == 150
    assert losses[-1] < 0.5 < losses[0]
    after = token_accuracy(net, TASK, lengths=[1, 2])
    assert np.all(after > 0.9)
    assert np.all(before < 0.9)


def test_training_is_a_function_of_its_arguments():
    results = []
    for seed in (0, 0, 1):
        net = model()
        losses = train_seq2seq(net, TASK, lengths=[2, 3], steps=3, batch_size=4, seed=seed)
        torch.rand(3)  # the global generator has no say
        results.append(losses)
    assert results[0] == results[1]
    assert results[0] != results[2]


def test_the_decoder_reads_the_start_token_and_then_the_truth():
    class Spy(Seq2Seq):
        def forward(self, source, target, **options):
            self.seen = (source, target)
            return super().forward(source, target, **options)

    net = Spy(TASK.vocab_size, embedding_dim=4, hidden_size=4)
    train_seq2seq(net, TASK, lengths=[5], steps=1, batch_size=3)
    source, read = net.seen
    assert torch.all(read[:, 0] == START)
    assert torch.equal(read[:, 1:], source[:, :-1])


def test_accuracy_is_the_mean_over_places_and_about_chance_when_untrained():
    net = model()
    by_place = position_accuracy(net, TASK, length=6, batch_size=2000)
    assert by_place.shape == (6,)
    assert by_place.mean() == token_accuracy(net, TASK, lengths=[6], batch_size=2000)[0]
    assert by_place.mean() < TASK.chance + 0.05


def test_accuracy_counts_a_perfect_writer_as_one():
    class Perfect(Seq2Seq):
        def generate(self, source, *, length, start, source_lengths=None):
            return source, None

    net = Perfect(TASK.vocab_size, embedding_dim=4, hidden_size=4)
    assert token_accuracy(net, TASK, lengths=[1, 5]).tolist() == [1.0, 1.0]
    backwards = CopyTask(symbols=4, reverse=True)
    assert 0.1 < token_accuracy(net, backwards, lengths=[6])[0] < 0.4  # read aloud, a reversed row is right by chance


@pytest.mark.parametrize("call", [
    lambda net: train_seq2seq(net, TASK, lengths=[], steps=1),
    lambda net: train_seq2seq(net, CopyTask(symbols=7), lengths=[1], steps=1),
    lambda net: train_seq2seq(net, TASK, lengths=[1], steps=0),
    lambda net: train_seq2seq(net, TASK, lengths=[1], steps=1, learning_rate=0.0),
    lambda net: token_accuracy(net, TASK, lengths=[]),
    lambda net: token_accuracy(net, CopyTask(symbols=7), lengths=[1]),
    lambda net: position_accuracy(net, TASK, length=0),
])  # fmt: skip
def test_bad_arguments_are_errors(call):
    with pytest.raises(ValueError, match="must"):
        call(model())


def test_threads_are_given_back_even_after_an_error():
    class Broken(Seq2Seq):
        def forward(self, source, target, **options):
            raise RuntimeError("broken")

    before = torch.get_num_threads()
    train_seq2seq(model(), TASK, lengths=[1], steps=1)
    assert torch.get_num_threads() == before
    with pytest.raises(RuntimeError, match="broken"):
        train_seq2seq(Broken(TASK.vocab_size, embedding_dim=4, hidden_size=4), TASK, lengths=[1], steps=1)
    assert torch.get_num_threads() == before
