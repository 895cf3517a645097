"""Text to train on without a download: the language's own documentation, which ships with CPython.

A model here reads characters: a token is the index of a character in a sorted alphabet. The text differs
between Python releases, patch releases included, so a number trained on it belongs to one `sha256`;
orderings between models are what may be carried from one release to the next.
"""

import hashlib
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from seqpos._arrays import check_integer


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text as tokens, in two parts that do not overlap.

    `alphabet` holds every character of the text once, sorted; token t is `alphabet[t]`. `train` is the
    beginning of the text and `held_out` the rest. `sha256` is of the whole text in UTF-8.
    """

    alphabet: str
    train: Int[np.ndarray, " train"]
    held_out: Int[np.ndarray, " held_out"]
    sha256: str

    @classmethod
    def from_text(cls, text: str, *, held_out_share: float = 0.1) -> "Corpus":
        """Split a text of your own: the last `held_out_share` of its characters are held out.

        Raises:
            TypeError: `text` is not a string.
            ValueError: an empty text, a share outside 0 … 1, a part left without a character.

        >>> corpus = Corpus.from_text("abracadabra", held_out_share=0.2)
        >>> corpus.alphabet, corpus.train.tolist(), corpus.held_out.tolist()
        ('abcdr', [0, 1, 4, 0, 2, 0, 3, 0, 1], [4, 0])
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, got {type(text).__name__}")
        if not 0 < held_out_share < 1:
            raise ValueError(f"held_out_share must lie between 0 and 1, got {held_out_share!r}")
        border = len(text) - round(held_out_share * len(text))
        if not 0 < border < len(text):
            raise ValueError(
                f"text must leave a character in each part with held_out_share = {held_out_share}, got {len(text)} characters"
            )
        alphabet = "".join(sorted(set(text)))
        token = {character: index for index, character in enumerate(alphabet)}
        tokens = np.array([token[character] for character in text], dtype=np.int64)
        return cls(alphabet, tokens[:border], tokens[border:], hashlib.sha256(text.encode()).hexdigest())

    @property
    def vocab_size(self) -> int:
        """How many different characters there are."""
        return len(self.alphabet)

    def encode(self, text: str) -> Int[np.ndarray, " length"]:
        """Tokens of a text, int64 [length].

        Raises:
            ValueError: a character that the alphabet lacks.
        """
        unknown = sorted(set(text) - set(self.alphabet))
        if unknown:
            raise ValueError(f"text must use the characters of the alphabet, got {unknown[0]!r}")
        return np.array([self.alphabet.index(character) for character in text], dtype=np.int64)

    def decode(self, tokens: Int[np.ndarray, " length"]) -> str:
        """The text of tokens [length]."""
        return "".join(self.alphabet[token] for token in np.asarray(tokens).tolist())

    def sample(self, length: int, *, batch_size: int, rng: np.random.Generator) -> Int[np.ndarray, "{batch_size} {length+1}"]:
        """Stretches of the training text, each place as likely as any other.

        Args:
            length: tokens that a model reads; one more is returned, so that each has a next one.
            batch_size: rows.
            rng: decides which; the same state of it gives the same batch.

        Returns:
            int64 [batch_size, length + 1].

        Raises:
            ValueError: `batch_size` below 1, `length` below 1 or too long for the training text.

        >>> corpus = Corpus.from_text("abracadabra")
        >>> corpus.sample(4, batch_size=2, rng=np.random.default_rng(0)).shape
        (2, 5)
        """
        length = check_integer("length", length, minimum=1)
        batch_size = check_integer("batch_size", batch_size, minimum=1)
        if length >= len(self.train):
            raise ValueError(f"length must be below the training text's {len(self.train)} tokens, got {length}")
        start = rng.integers(0, len(self.train) - length, batch_size)
        return self.train[start[:, None] + np.arange(length + 1)]


def python_docs(*, held_out_share: float = 0.1) -> Corpus:
    """The documentation of Python's language and built-in types, in English, about 465 000 characters.

    It is the text behind `help("TOPIC")`: `pydoc_data.topics`, its topics in alphabetical order. Some
    sections stand in it twice, under different topics, so a large model could learn parts of the
    held-out text by heart; what a held-out loss shows here is how schemes compare.

    Args:
        held_out_share: the share of the text kept for testing, from its end.

    Raises:
        ImportError: a Python without `pydoc_data`, which is part of CPython's standard library.

    Source: CPython, Lib/pydoc_data/topics.py (Python Software Foundation License).

    >>> corpus = python_docs()
    >>> len(corpus.train) + len(corpus.held_out) > 300_000, corpus.vocab_size > 90
    (True, True)
    """
    from pydoc_data.topics import topics

    return Corpus.from_text("".join(topics[name] for name in sorted(topics)), held_out_share=held_out_share)
