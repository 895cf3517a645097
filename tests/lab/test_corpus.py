"""The corpus: tokens that are the text's, parts that do not overlap, batches that a seed decides."""

import hashlib

import numpy as np
import pytest

from seqpos.lab.corpus import Corpus, python_docs


@pytest.fixture(scope="module")
def docs() -> Corpus:
    return python_docs()


def test_the_documentation_is_english_text_of_some_size(docs):
    text = docs.decode(np.concatenate([docs.train, docs.held_out]))
    assert len(text) > 300_000
    assert "The yield statement" in text or "yield" in text
    assert docs.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert docs.sha256 == python_docs().sha256


def test_the_parts_are_the_text_in_order():
    corpus = Corpus.from_text("the quick brown fox", held_out_share=0.25)
    assert corpus.decode(corpus.train) + corpus.decode(corpus.held_out) == "the quick brown fox"
    assert len(corpus.held_out) == 5
    assert corpus.alphabet == "".join(sorted(set("the quick brown fox")))
    assert corpus.vocab_size == len(corpus.alphabet)


def test_encode_is_undone_by_decode(docs):
    line = docs.decode(docs.train[:80])
    assert docs.encode(line).tolist() == docs.train[:80].tolist()
    with pytest.raises(ValueError, match="'☃'"):
        docs.encode("snow ☃")


def test_a_batch_is_stretches_of_the_training_text_decided_by_the_generator(docs):
    batch = docs.sample(32, batch_size=5, rng=np.random.default_rng(3))
    assert batch.shape == (5, 33) and batch.dtype == np.int64
    assert np.array_equal(batch, docs.sample(32, batch_size=5, rng=np.random.default_rng(3)))
    assert not np.array_equal(batch, docs.sample(32, batch_size=5, rng=np.random.default_rng(4)))
    text = docs.decode(docs.train)
    assert all(docs.decode(row) in text for row in batch)


def test_every_place_can_be_drawn_and_none_beyond_the_end():
    corpus = Corpus.from_text("abcdefghij", held_out_share=0.2)
    batch = corpus.sample(5, batch_size=200, rng=np.random.default_rng(0))
    assert {row[0] for row in batch.tolist()} == {0, 1, 2}
    assert batch.max() == 7
    assert corpus.sample(7, batch_size=1, rng=np.random.default_rng(0)).tolist() == [list(range(8))]


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: Corpus.from_text(""), ValueError, "text"),
        (lambda: Corpus.from_text("abc", held_out_share=0.0), ValueError, "held_out_share"),
        (lambda: Corpus.from_text("abc", held_out_share=0.01), ValueError, "3 characters"),
        (lambda: Corpus.from_text("abcdef").sample(0, batch_size=1, rng=np.random.default_rng(0)), ValueError, "length"),
        (lambda: Corpus.from_text("abcdef").sample(9, batch_size=1, rng=np.random.default_rng(0)), ValueError, "got 9"),
        (lambda: Corpus.from_text("abcdef").sample(2, batch_size=0, rng=np.random.default_rng(0)), ValueError, "batch_size"),
    ],
)
def test_what_cannot_be_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
