"""What a recurrent state keeps: its slope by distance, and `seqpos.nn.Seq2Seq` trained to write down what it read.

Batches come from a NumPy generator of their own seed, so a result depends on the model's initial weights
and the arguments alone. Rows of a batch have one length; the lengths are drawn batch by batch.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqpos._arrays import check_integer, check_positive
from seqpos.lab.tasks import START, Task
from seqpos.lab.threads import use_threads
from seqpos.nn import Seq2Seq
from seqpos.recurrent import unroll


def influence_of_inputs(step: Callable[[Tensor, Tensor], Tensor], inputs: Tensor, h: Tensor) -> np.ndarray:
    """How strongly the last state depends on the token read 0, 1, 2 … steps before the end.

    The Frobenius norm of the Jacobian ∂h_L/∂x_t, by automatic differentiation through all steps.

    Args:
        step: from the token read now [inputs] and the state before it [hidden] to the state after it.
        inputs: floating-point tensor [length, inputs].
        h: the state before the first token [hidden].

    Returns:
        float64 [length]; entry k belongs to the token at distance k, so the last read comes first.

    Raises:
        ValueError: `inputs` without tokens.

    Source: the argument of Hochreiter and Schmidhuber (1997), section 3, measured.

    >>> halve = lambda x, h: x + 0.5 * h
    >>> influence_of_inputs(halve, torch.zeros(4, 1), torch.zeros(1)).tolist()
    [1.0, 0.5, 0.25, 0.125]
    """
    if inputs.ndim != 2 or inputs.shape[0] == 0:
        raise ValueError(f"inputs must have shape [length, inputs] with a length of at least 1, got {tuple(inputs.shape)}")
    jacobian = torch.autograd.functional.jacobian(lambda x: unroll(step, x, h)[-1], inputs)  # [hidden, length, inputs]
    return jacobian.double().pow(2).sum(dim=(0, 2)).sqrt().flip(0).cpu().numpy()


def train_seq2seq(
    model: Seq2Seq,
    task: Task,
    *,
    lengths: Sequence[int],
    steps: int,
    batch_size: int = 64,
    learning_rate: float = 5e-3,
    seed: int = 0,
) -> list[float]:
    """Train `model` in place to write the targets of `task`, reading the true token before each one.

    Adam, with gradients clipped to a norm of 1, on one thread of the processor. The learning rate falls to a tenth in the last quarter
    of the steps, so that the end does not depend on which step is the last.

    Args:
        model: with the vocabulary of the task.
        task: from `seqpos.lab.tasks`.
        lengths: those to draw from, each as likely as any other.
        steps: batches; batch_size: rows of each.
        learning_rate: Adam's, before it falls.
        seed: of the batches; the weights were drawn when the model was made.

    Returns:
        the mean cross-entropy of each step, in nats a token.

    Raises:
        ValueError: an empty `lengths`, a number below 1, a model whose vocabulary is not the task's.

    >>> from seqpos.lab.tasks import CopyTask
    >>> task = CopyTask(symbols=4)
    >>> _ = torch.manual_seed(0)
    >>> model = Seq2Seq(task.vocab_size, embedding_dim=8, hidden_size=16)
    >>> losses = train_seq2seq(model, task, lengths=[1], steps=60, batch_size=16)
    >>> losses[-1] < losses[0] / 2
    True
    """
    _check(model, task, lengths)
    steps = check_integer("steps", steps, minimum=1)
    learning_rate = check_positive("learning_rate", learning_rate)
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    model.train()
    losses = []
    with use_threads(1):
        for step in range(steps):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * (1.0 if step < 0.75 * steps else 0.1)
            batch = task.sample(int(rng.choice(np.asarray(lengths))), batch_size=batch_size, rng=rng)
            source, target = _tensor(batch.source, model), _tensor(batch.target, model)
            logits = model(source, _shifted_right(target))
            loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
    return losses


def token_accuracy(
    model: Seq2Seq, task: Task, *, lengths: Sequence[int], batch_size: int = 256, seed: int = 1
) -> np.ndarray:
    """The share of tokens that the model writes rightly, length by length, when it writes on its own.

    The decoder reads what it wrote, not the truth, and takes the likeliest token each time.

    Args:
        model, task: as in `train_seq2seq`.
        lengths: those to measure; they may be longer than the trained ones.
        batch_size: sequences measured at each length.
        seed: of the sequences, together with the length: every model is asked the same ones.

    Returns:
        float64 [len(lengths)], each in [0, 1].

    Raises:
        ValueError: as in `train_seq2seq`.

    >>> from seqpos.lab.tasks import CopyTask
    >>> model = Seq2Seq(5, embedding_dim=4, hidden_size=4)
    >>> token_accuracy(model, CopyTask(symbols=4), lengths=[1, 2, 3]).shape
    (3,)
    """
    _check(model, task, lengths)
    return np.array(
        [position_accuracy(model, task, length=length, batch_size=batch_size, seed=seed).mean() for length in lengths]
    )


def position_accuracy(model: Seq2Seq, task: Task, *, length: int, batch_size: int = 256, seed: int = 1) -> np.ndarray:
    """The share of rightly written tokens at each place of the output; the arguments are as in `token_accuracy`.

    Returns:
        float64 [target length], each in [0, 1]; its mean is what `token_accuracy` gives.

    Raises:
        ValueError: a `length` below 1, a model whose vocabulary is not the task's.

    >>> from seqpos.lab.tasks import CopyTask
    >>> position_accuracy(Seq2Seq(5, embedding_dim=4, hidden_size=4), CopyTask(symbols=4), length=3).shape
    (3,)
    """
    _check(model, task, [length])
    model.eval()
    batch = task.sample(length, batch_size=batch_size, rng=np.random.default_rng((seed, length)))
    with use_threads(1):
        written, _ = model.generate(_tensor(batch.source, model), length=batch.target.shape[1], start=START)
    return (written.cpu().numpy() == batch.target).mean(axis=0)


def _check(model: Seq2Seq, task: Task, lengths: Sequence[int]) -> None:
    if model.vocab_size != task.vocab_size:
        raise ValueError(f"model must have the task's vocab_size = {task.vocab_size}, got {model.vocab_size}")
    if len(lengths) == 0:
        raise ValueError(f"lengths must hold at least one length, got {lengths!r}")


def _tensor(tokens: np.ndarray, model: nn.Module) -> Tensor:
    return torch.from_numpy(tokens).to(next(model.parameters()).device)


def _shifted_right(target: Tensor) -> Tensor:
    """What the decoder reads: the start token, then the target but for its last token."""
    return torch.cat([torch.full_like(target[:, :1], START), target[:, :-1]], dim=1)
