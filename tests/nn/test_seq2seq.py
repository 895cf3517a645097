"""The encoder-decoder: writing step by step equals reading one's own output, padding changes nothing."""

import pytest
import torch

from seqpos.nn import Seq2Seq

SAME = {"rtol": 0, "atol": 1e-12}


@pytest.fixture(params=[False, True], ids=["fixed", "attention"])
def model(request):
    model = Seq2Seq(9, embedding_dim=5, hidden_size=7, attention=request.param).double()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return model


@pytest.fixture
def source():
    return torch.randint(9, (3, 6))


@torch.no_grad()
def test_writing_equals_reading_ones_own_output(model, source):
    written, weights = model.generate(source, length=5, start=2)
    read = torch.cat([torch.full((3, 1), 2), written[:, :-1]], dim=1)
    assert model(source, read).argmax(dim=-1).equal(written)
    if model.attention:
        assert weights.shape == (3, 5, 6)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, 5, dtype=torch.float64))
    else:
        assert weights is None


@torch.no_grad()
def test_padding_on_the_right_changes_nothing(model, source):
    lengths, target = torch.tensor([2, 6, 4]), torch.randint(9, (3, 4))
    padded = model(source, target, source_lengths=lengths)
    written, weights = model.generate(source, length=4, source_lengths=lengths)
    for n, length in enumerate(lengths):
        alone = source[n : n + 1, :length]
        torch.testing.assert_close(padded[n : n + 1], model(alone, target[n : n + 1]), **SAME)
        own_written, own_weights = model.generate(alone, length=4)
        assert written[n].equal(own_written[0])
        if weights is not None:
            torch.testing.assert_close(weights[n, :, :length], own_weights[0], **SAME)
            assert (weights[n, :, length:] == 0).all()


@torch.no_grad()
def test_the_fixed_context_is_all_that_the_decoder_sees():
    """One vector of the encoder's, the same for every step, whatever the length of the source."""
    model = Seq2Seq(9, embedding_dim=5, hidden_size=7).double()
    source, target = torch.randint(9, (1, 6)), torch.randint(9, (1, 3))
    states, context, mask = model.encode(source)
    assert mask is None and context.equal(states[:, -1])
    read = torch.cat([model.embedding(target), context[:, None].expand(-1, 3, -1)], dim=-1)
    hidden = [context]
    for t in range(3):
        cell = torch.nn.GRUCell(12, 7, dtype=torch.float64)
        cell.load_state_dict({name[:-3]: value for name, value in model.decoder.state_dict().items()})
        hidden.append(cell(read[:, t], hidden[-1]))
    expected = model.readout(torch.cat([torch.stack(hidden[1:], dim=1), context[:, None].expand(-1, 3, -1)], dim=-1))
    torch.testing.assert_close(model(source, target), expected, **SAME)


@torch.no_grad()
def test_attention_looks_back_at_all_states():
    """Two sources that agree in their last state differ in their contexts."""
    model = Seq2Seq(9, embedding_dim=5, hidden_size=7, attention=True).double()
    torch.nn.init.normal_(model.state_weight, std=2.0)
    torch.nn.init.normal_(model.score_weight, std=2.0)
    hidden, read = torch.randn(1, 7).double(), torch.randn(1, 5).double()
    states = torch.randn(1, 4, 7).double()
    _, _, weights = model._step(read, hidden, states, None)
    scores = torch.stack(
        [model.score_weight @ torch.tanh(model.query_weight @ hidden[0] + model.state_weight @ s) for s in states[0]]
    )
    torch.testing.assert_close(weights[0], scores.softmax(dim=0), **SAME)


def test_each_row_equals_that_row_alone(model, source):
    target = torch.randint(9, (3, 4))
    together = model(source, target)
    for n in range(3):
        torch.testing.assert_close(together[n : n + 1], model(source[n : n + 1], target[n : n + 1]), **SAME)


def test_an_empty_target_gives_empty_logits(model, source):
    assert model(source, torch.zeros(3, 0, dtype=torch.int64)).shape == (3, 0, 9)
    written, weights = model.generate(source, length=0)
    assert written.shape == (3, 0) and (weights is None or weights.shape == (3, 0, 6))


def test_every_parameter_learns(model, source):
    model(source, torch.randint(9, (3, 4))).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name
