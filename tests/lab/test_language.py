"""The trainer and the losses: against hand-made models whose loss is known, and on a text that can be learned."""

import math

import numpy as np
import pytest
import torch

from seqpos.lab.corpus import Corpus
from seqpos.lab.language import loss_by_length, loss_by_position, token_losses, train_language_model
from seqpos.nn import DecoderLM, LearnedEmbedding, NoPosition, make_scheme


def small_model(name="alibi", vocab_size=3, seed=0, max_positions=64):
    torch.manual_seed(seed)
    scheme = make_scheme(name, dim=16, num_heads=2, max_positions=max_positions)
    return DecoderLM(vocab_size, dim=16, num_layers=1, num_heads=2, scheme=scheme)


@pytest.fixture
def pattern() -> Corpus:
    return Corpus.from_text("abc" * 200)


def test_a_model_that_knows_nothing_loses_log_vocabulary(pattern):
    model = small_model()
    torch.nn.init.zeros_(model.readout.weight)
    assert np.allclose(loss_by_position(model, pattern.held_out, length=8), math.log(3), atol=1e-6)


def test_losses_stand_in_the_order_of_the_text():
    # A readout of zeros, and a bias through the norm: token 0 is always the guess, so only the target matters.
    model = small_model()
    torch.nn.init.zeros_(model.readout.weight)
    torch.nn.init.zeros_(model.norm.weight)
    torch.nn.init.ones_(model.norm.bias)
    with torch.no_grad():
        model.readout.weight[0] = 1.0
    text = np.array([0, 0, 1, 2, 0, 0, 1, 0, 2])
    losses = token_losses(model, text, length=4)
    assert losses.shape == (2, 4) and losses.dtype == np.float64
    assert np.array_equal(losses.reshape(-1) > 1, text[1:] != 0)


def test_windows_of_two_lengths_predict_the_same_tokens_and_agree_where_their_context_does(pattern):
    model = small_model("alibi")
    long, short = (token_losses(model, pattern.train[:97], length=length) for length in (32, 16))
    assert long.size == short.size == 96
    assert np.allclose(long[:, :16], short[::2], atol=1e-5)


def test_the_rest_that_fills_no_window_is_left_out_and_batches_do_not_matter(pattern):
    model = small_model("none")
    whole = token_losses(model, pattern.train[:50], length=7)
    assert whole.shape == (7, 7)
    assert np.allclose(whole, token_losses(model, pattern.train[:50], length=7, batch_tokens=14), atol=1e-6)
    assert np.allclose(loss_by_position(model, pattern.train[:50], length=7), whole.mean(axis=0))


def test_loss_by_length_reads_the_same_text_at_every_length(pattern):
    model = small_model("alibi")
    # 6 and 4 have the multiple 12: 36 of the 40 tokens are used at both.
    losses = loss_by_length(model, pattern.train[:41], lengths=[4, 6])
    expected = [token_losses(model, pattern.train[:37], length=length).mean() for length in (4, 6)]
    assert np.allclose(losses, expected)


def test_training_learns_a_pattern_and_depends_on_its_seeds_alone(pattern):
    runs = []
    for _ in range(2):
        model = small_model("alibi")
        losses = train_language_model(model, pattern, length=12, steps=40, batch_size=8, learning_rate=0.01, seed=1)
        runs.append((losses, loss_by_length(model, pattern.held_out, lengths=[12, 24])))
    assert len(runs[0][0]) == 40 and runs[0][0][-1] < 0.5 < runs[0][0][0]
    assert runs[0][0] == runs[1][0] and np.array_equal(runs[0][1], runs[1][1])
    other = train_language_model(small_model("alibi"), pattern, length=12, steps=2, batch_size=8, seed=2)
    assert other[0] != runs[0][0][0]


def test_a_learned_table_is_trained_up_to_the_length_only_and_cannot_be_asked_beyond(pattern):
    model = small_model("learned", max_positions=16)
    scheme = model.blocks[0].attention.scheme
    assert isinstance(scheme, LearnedEmbedding)
    before = scheme.table.detach().clone()
    train_language_model(model, pattern, length=10, steps=3, batch_size=4)
    assert (scheme.table.detach() != before).any(dim=1).tolist() == [True] * 10 + [False] * 6
    with pytest.raises(ValueError, match="positions"):
        token_losses(model, pattern.held_out, length=17)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda c: train_language_model(small_model(vocab_size=4), c, length=4, steps=1), "vocab_size"),
        (lambda c: train_language_model(small_model(), c, length=4, steps=0), "steps"),
        (lambda c: train_language_model(small_model(), c, length=4, steps=1, learning_rate=0.0), "learning_rate"),
        (lambda c: token_losses(small_model(), c.held_out[:5], length=5), "got 5 tokens"),
        (lambda c: loss_by_length(small_model(), c.held_out[:12], lengths=[3, 4]), "12 tokens"),
        (lambda c: loss_by_length(small_model(), c.held_out, lengths=[]), "lengths"),
    ],
)
def test_what_cannot_be_is_refused(pattern, call, match):
    with pytest.raises(ValueError, match=match):
        call(pattern)


def test_a_scheme_of_ones_own_needs_nothing_more(pattern):
    class Mine(NoPosition):
        pass

    torch.manual_seed(0)
    model = DecoderLM(3, dim=8, num_layers=1, num_heads=2, scheme=Mine())
    assert len(train_language_model(model, pattern, length=4, steps=2, batch_size=2)) == 2
