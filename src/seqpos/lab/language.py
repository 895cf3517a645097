"""Training `seqpos.nn.DecoderLM` under any scheme, and its loss at lengths it was not trained on.

The batches come from a NumPy generator of their own seed, so two schemes with the same seed read the same
text in the same order; what differs between them is the scheme and the weights they began with.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import nn
from torch.nn import functional as F

from seqpos._arrays import check_integer, check_positive
from seqpos.lab.corpus import Corpus
from seqpos.lab.threads import use_threads
from seqpos.nn import DecoderLM


@use_threads(1)  # so small a model is no faster on more
def train_language_model(
    model: DecoderLM,
    corpus: Corpus,
    *,
    length: int,
    steps: int,
    batch_size: int = 32,
    learning_rate: float = 3e-3,
    seed: int = 0,
) -> list[float]:
    """Train `model` in place to predict the next token of the training text.

    Adam, with gradients clipped to a norm of 1. The learning rate rises in a straight line over the first
    tenth of the steps and then falls along a half cosine to a tenth of its peak.

    Args:
        model: with the vocabulary of the corpus.
        corpus: from `seqpos.lab.corpus`.
        length: tokens read in a row of a batch, and so the positions that are trained: 0 … length-1.
        steps: batches; batch_size: rows of each.
        learning_rate: its peak.
        seed: of the batches; the weights were drawn when the model was made.

    Returns:
        the mean cross-entropy of each step, in nats a token.

    Raises:
        ValueError: a number below 1, a model whose vocabulary is not the corpus's.

    >>> from seqpos.nn import NoPosition
    >>> corpus = Corpus.from_text("abracadabra " * 50)
    >>> _ = torch.manual_seed(0)
    >>> model = DecoderLM(corpus.vocab_size, dim=16, num_layers=1, num_heads=2, scheme=NoPosition())
    >>> losses = train_language_model(model, corpus, length=16, steps=50, batch_size=8, learning_rate=0.01)
    >>> losses[-1] < losses[0] / 2
    True
    """
    if model.vocab_size != corpus.vocab_size:
        raise ValueError(f"model must have the corpus's vocab_size = {corpus.vocab_size}, got {model.vocab_size}")
    steps = check_integer("steps", steps, minimum=1)
    learning_rate = check_positive("learning_rate", learning_rate)
    rng = np.random.default_rng(seed)
    device = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    warmup = max(1, steps // 10)
    model.train()
    losses = []
    for step in range(steps):
        rise = min(1.0, (step + 1) / warmup)
        fall = 0.55 + 0.45 * math.cos(math.pi * max(0, step - warmup) / max(1, steps - warmup))
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * rise * fall
        tokens = torch.from_numpy(corpus.sample(length, batch_size=batch_size, rng=rng)).to(device)
        loss = _losses(model, tokens).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@use_threads(1)
@torch.no_grad()
def token_losses(
    model: DecoderLM, tokens: Int[np.ndarray, " text"], *, length: int, batch_tokens: int = 16_384
) -> Float[np.ndarray, "windows length"]:
    """The cross-entropy of each token of a text that is read in windows of `length`, in the text's order.

    Windows do not overlap, so the token predicted at position i of a window is predicted from i + 1 tokens.
    Flattened, the losses of two lengths stand for the same tokens one by one.

    Args:
        model: any length it cannot take is an error of its own.
        tokens: a text [text], such as `Corpus.held_out`; what does not fill a window is left out.
        length: tokens of a window.
        batch_tokens: about how many tokens are read at once.

    Returns:
        float64 [windows, length], in nats a token.

    Raises:
        ValueError: a text with no window of `length` and its next token in it.

    >>> from seqpos.nn import ALiBi
    >>> model = DecoderLM(4, dim=8, num_layers=1, num_heads=2, scheme=ALiBi(2))
    >>> token_losses(model, np.arange(100) % 4, length=12).shape
    (8, 12)
    """
    length = check_integer("length", length, minimum=1)
    count = (len(tokens) - 1) // length
    if count < 1:
        raise ValueError(f"tokens must hold a window of length {length} and one token more, got {len(tokens)} tokens")
    windows = np.asarray(tokens)[np.arange(count)[:, None] * length + np.arange(length + 1)]
    rows = max(1, batch_tokens // length)
    device = next(model.parameters()).device
    model.eval()
    losses = [
        _losses(model, torch.from_numpy(windows[start : start + rows]).to(device)).cpu().numpy()
        for start in range(0, count, rows)
    ]
    return np.concatenate(losses).astype(np.float64)


def loss_by_position(
    model: DecoderLM, tokens: Int[np.ndarray, " text"], *, length: int, batch_tokens: int = 16_384
) -> Float[np.ndarray, " length"]:
    """The mean cross-entropy at each position of windows of `length`, which together cover the text.

    A causal model does at its first positions what it does in a shorter window: a longer one shows how it
    fares beyond.

    Args:
        model, tokens, length, batch_tokens: as in `token_losses`.

    Returns:
        float64 [length], in nats a token.

    Raises:
        ValueError: as in `token_losses`.

    >>> from seqpos.nn import ALiBi
    >>> model = DecoderLM(4, dim=8, num_layers=1, num_heads=2, scheme=ALiBi(2))
    >>> loss_by_position(model, np.arange(100) % 4, length=12).shape
    (12,)
    """
    return token_losses(model, tokens, length=length, batch_tokens=batch_tokens).mean(axis=0)


def loss_by_length(
    model: DecoderLM, tokens: Int[np.ndarray, " text"], *, lengths: Sequence[int], batch_tokens: int = 16_384
) -> Float[np.ndarray, " lengths"]:
    """The mean cross-entropy of the same text cut into windows of each length.

    Every length predicts the same tokens: the text is cut to a multiple of all lengths first. So a model that
    makes use of more context has a lower loss at a greater length.

    Args:
        model, tokens, batch_tokens: as in `token_losses`.
        lengths: tokens of a window.

    Returns:
        float64 [len(lengths)], in nats a token.

    Raises:
        ValueError: no length; a text shorter than the least common multiple of the lengths and one more.

    >>> from seqpos.nn import ALiBi
    >>> model = DecoderLM(4, dim=8, num_layers=1, num_heads=2, scheme=ALiBi(2))
    >>> loss_by_length(model, np.arange(100) % 4, lengths=[8, 16]).shape
    (2,)
    """
    if len(lengths) == 0:
        raise ValueError(f"lengths must hold at least one length, got {lengths!r}")
    common = math.lcm(*(check_integer("lengths", length, minimum=1) for length in lengths))
    count = (len(tokens) - 1) // common
    if count < 1:
        raise ValueError(f"tokens must hold {common} tokens, a multiple of all lengths, and one more, got {len(tokens)}")
    text = np.asarray(tokens)[: count * common + 1]
    return np.array(
        [token_losses(model, text, length=length, batch_tokens=batch_tokens).mean() for length in lengths]
    )


def _losses(model: DecoderLM, tokens: torch.Tensor) -> torch.Tensor:
    """Cross-entropies [batch, length] of predicting tokens [batch, length + 1] but the first."""
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none").reshape(tokens[:, 1:].shape)
