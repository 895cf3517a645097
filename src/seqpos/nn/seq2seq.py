"""The time door as a model: an encoder reads, a decoder writes, and between them one vector or attention.

Cho et al. (1406.1078) and Sutskever et al. (1409.3215) hand over the last state; Bahdanau et al.
(1409.0473) let the decoder look back at all of them.
"""

import torch
from torch import Tensor, nn

from seqpos._arrays import check_flag, check_integer
from seqpos.nn.decoder import check_tokens
from seqpos.nn.scheme import check_whole
from seqpos.recurrent import additive_attention, gru_cell


class Seq2Seq(nn.Module):
    """A GRU encoder and a GRU decoder, with a fixed context vector or with Bahdanau's attention.

    Args:
        vocab_size: number of tokens, shared by both sides.
        embedding_dim: width of a token.
        hidden_size: width of the states, and so of the context vector.
        attention: False hands the last state to every step of the decoder; True makes a context a step.

    Shape:
        source: integers [batch, source_length], at least one token; target: integers [batch, length], what
        the decoder reads (the true tokens, shifted right). The result is logits [batch, length, vocab_size].
        source_lengths: integers [batch], where rows are padded on the right.

    Raises:
        TypeError, ValueError: tokens that are not integers [batch, length] below vocab_size, an empty source,
            lengths outside 1 … source_length.

    >>> model = Seq2Seq(10, embedding_dim=4, hidden_size=8)
    >>> model(torch.zeros(2, 5, dtype=torch.int64), torch.zeros(2, 3, dtype=torch.int64)).shape
    torch.Size([2, 3, 10])
    """

    def __init__(self, vocab_size: int, *, embedding_dim: int, hidden_size: int, attention: bool = False) -> None:
        super().__init__()
        self.vocab_size = check_integer("vocab_size", vocab_size, minimum=1)
        embedding_dim = check_integer("embedding_dim", embedding_dim, minimum=1)
        self.hidden_size = check_integer("hidden_size", hidden_size, minimum=1)
        self.attention = check_flag("attention", attention)
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.encoder = nn.GRU(embedding_dim, hidden_size, batch_first=True)
        self.decoder = nn.GRU(embedding_dim + hidden_size, hidden_size, batch_first=True)
        self.readout = nn.Linear(2 * hidden_size, vocab_size)
        if attention:
            self.query_weight = nn.Parameter(torch.empty(hidden_size, hidden_size))
            self.state_weight = nn.Parameter(torch.empty(hidden_size, hidden_size))
            self.score_weight = nn.Parameter(torch.empty(hidden_size))
            for weight in (self.query_weight, self.state_weight, self.score_weight):
                nn.init.uniform_(weight, -(hidden_size**-0.5), hidden_size**-0.5)

    def encode(self, source: Tensor, *, source_lengths: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor | None]:
        """All states [batch, source_length, hidden], the context vector [batch, hidden], and the mask."""
        check_tokens("source", source, self.vocab_size)
        if source.shape[1] == 0:
            raise ValueError("source must have at least one token a row, got a length of 0")
        states, last = self.encoder(self.embedding(source))
        if source_lengths is None:
            return states, last[0], None
        check_whole("source_lengths", source_lengths)
        if tuple(source_lengths.shape) != source.shape[:1]:
            raise ValueError(f"source_lengths must have shape [{source.shape[0]}], got {tuple(source_lengths.shape)}")
        if ((source_lengths < 1) | (source_lengths > source.shape[1])).any():
            raise ValueError(f"source_lengths must lie in 1 … {source.shape[1]}, got {source_lengths.tolist()}")
        rows = torch.arange(source.shape[0], device=source.device)
        mask = torch.arange(source.shape[1], device=source.device) < source_lengths[:, None]
        return states, states[rows, source_lengths - 1], mask

    def forward(self, source: Tensor, target: Tensor, *, source_lengths: Tensor | None = None) -> Tensor:
        check_tokens("target", target, self.vocab_size)
        states, context, mask = self.encode(source, source_lengths=source_lengths)
        if target.shape[0] != source.shape[0]:
            raise ValueError(f"target must have the source's {source.shape[0]} rows, got {target.shape[0]}")
        read = self.embedding(target)
        if not self.attention:
            contexts = context[:, None, :].expand(-1, target.shape[1], -1)
            if target.shape[1] == 0:
                return self.readout(torch.cat([contexts, contexts], dim=-1))
            hidden, _ = self.decoder(torch.cat([read, contexts], dim=-1), context[None])
            return self.readout(torch.cat([hidden, contexts], dim=-1))
        hidden, logits = context, []
        for t in range(target.shape[1]):
            hidden, step_logits, _ = self._step(read[:, t], hidden, states, mask)
            logits.append(step_logits)
        return torch.stack(logits, dim=1) if logits else read.new_zeros(*target.shape, self.vocab_size)

    @torch.no_grad()
    def generate(
        self, source: Tensor, *, length: int, start: int = 0, source_lengths: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """Write `length` tokens, the likeliest each time, from the start token.

        Returns:
            tokens [batch, length], and with attention the weights [batch, length, source_length] (else None).

        Raises:
            ValueError: a negative length, a start token outside the vocabulary.
        """
        length = check_integer("length", length, minimum=0)
        if not 0 <= check_integer("start", start) < self.vocab_size:
            raise ValueError(f"start must lie in 0 … {self.vocab_size - 1}, got {start}")
        states, context, mask = self.encode(source, source_lengths=source_lengths)
        hidden, newest = context, torch.full((source.shape[0],), start, device=source.device)
        tokens, looked = [source.new_zeros(source.shape[0], 0)], [states.new_zeros(source.shape[0], 0, source.shape[1])]
        for _ in range(length):
            hidden, logits, weights = self._step(self.embedding(newest), hidden, states, mask, context)
            newest = logits.argmax(dim=-1)
            tokens.append(newest[:, None].to(source.dtype))
            if weights is not None:
                looked.append(weights[:, None])
        return torch.cat(tokens, dim=1), torch.cat(looked, dim=1) if self.attention else None

    def _step(
        self, read: Tensor, hidden: Tensor, states: Tensor, mask: Tensor | None, context: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """One step of the decoder; with attention the context is made from the state before it."""
        weights = None
        if self.attention:
            context, weights = additive_attention(
                hidden,
                states,
                query_weight=self.query_weight,
                state_weight=self.state_weight,
                score_weight=self.score_weight,
                mask=mask,
            )
        hidden = gru_cell(
            torch.cat([read, context], dim=-1),
            hidden,
            input_weight=self.decoder.weight_ih_l0,
            hidden_weight=self.decoder.weight_hh_l0,
            input_bias=self.decoder.bias_ih_l0,
            hidden_bias=self.decoder.bias_hh_l0,
        )
        return hidden, self.readout(torch.cat([hidden, context], dim=-1)), weights
