"""Queries of gensim's KeyedVectors: neighbors, analogies, similarity."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firth._ask import answers_to
from firth._options import is_utf8
from firth.compat.entries import Entries, Floats
from firth.compat.keys import KEYS, Key
from firth.vectors import Vectors

logger = logging.getLogger("firth.compat")

# A key or a vector, alone or with how much it counts.
Term = Key | Floats
Terms = Term | Sequence[Term | tuple[Term, float]]
Answers = list[tuple[Any, float]]
# Keeps 3CosMul from dividing by zero: gensim's choice, where Levy and Goldberg
# (2014) have 0.001.
_EPSILON = 1e-6


class Questions(Entries):
    """Keys with vectors that answer queries."""

    # --- Neighbors. ---

    def most_similar(self, positive: Terms | None = None,
                     negative: Terms | None = None, topn: int | None = 10,
                     clip_start: int = 0, clip_end: int | None = None,
                     restrict_vocab: int | None = None,
                     indexer: Any = None) -> Any:
        """Finds the keys with the highest cosine to a mean of keys and vectors.

        positive, negative: a key, a vector, or a list of these, with weight 1
        and -1. Each may be a pair with another weight, whose sign is used as it
        is in `negative` too. Vectors of keys are scaled to length 1 first.
        topn: None returns the cosines of all keys, an array. clip_start,
        clip_end: range of positions that can be answers; restrict_vocab: number
        of first keys that can be answers.

        Returns pairs of key and cosine, best first, without the keys of the
        query. Returns none if the mean is zero and thus has no direction
        (gensim returns the first keys, with cosine 0). Raises UnknownWordError,
        ValueError.
        """
        if indexer is not None:
            raise NotImplementedError(
                "indexer: firth.Vectors.build_index() and "
                "most_similar(search=\"hnsw\") search through a graph")
        if topn is not None and topn < 1:
            return []
        terms = _weighted(positive, 1) + _weighted(negative, -1)
        mean = self.get_mean_vector(
            [term for term, _ in terms], [weight for _, weight in terms],
            ignore_missing=False)
        end = restrict_vocab or clip_end or len(self)
        begin = 0 if restrict_vocab else clip_start
        if topn is None:
            return self._cosines(mean)[begin:end]
        asked = {self._place(term) for term, _ in terms
                 if isinstance(term, KEYS)}
        if not mean.any():  # no direction, so no neighbors
            return []
        if begin > 0:
            return self._best(self._cosines(mean), asked, topn, begin, end)
        ids, scores = self._table.neighbors(
            mean[None], topn + len(asked), restrict=self._restrict(end))
        return self._answers(ids[0], scores[0], asked, topn)

    def most_similar_cosmul(self, positive: Terms | None = None,
                            negative: Terms | None = None,
                            topn: int | None = 10,
                            restrict_vocab: int | None = None) -> Any:
        """Finds the keys with the highest product of cosines (3CosMul).

        The other arguments are those of most_similar(). There are no weights,
        and vectors count by their length, as in gensim. Source: Levy and
        Goldberg, "Linguistic Regularities in Sparse and Explicit Word
        Representations", CoNLL 2014, eq. 4.
        """
        if topn is not None and topn < 1:
            return []
        above = [term for term, _ in _weighted(positive, 1)]
        below = [term for term, _ in _weighted(negative, -1)]
        if not above:
            raise ValueError("positive: pass at least one key or vector")
        scores = self._shifted_product(above) / (
            self._shifted_product(below) + _EPSILON)
        end = restrict_vocab or len(self)
        if topn is None:
            return scores[:end]
        if not any(np.any(self._vector_of(term)) for term in above + below):
            return []
        asked = {self._place(term) for term in above + below
                 if isinstance(term, KEYS)}
        return self._best(scores, asked, topn, 0, end)

    def similar_by_word(self, word: Key, topn: int | None = 10,
                        restrict_vocab: int | None = None) -> Any:
        """Returns most_similar() for a word."""
        return self.similar_by_key(word, topn, restrict_vocab)

    def similar_by_key(self, key: Key, topn: int | None = 10,
                       restrict_vocab: int | None = None) -> Any:
        """Returns most_similar() for a key."""
        return self.most_similar([key], topn=topn,
                                 restrict_vocab=restrict_vocab)

    def similar_by_vector(self, vector: ArrayLike, topn: int | None = 10,
                          restrict_vocab: int | None = None) -> Any:
        """Returns most_similar() for a vector [vector_size]."""
        return self.most_similar([np.asarray(vector, np.float32)], topn=topn,
                                 restrict_vocab=restrict_vocab)

    def closer_than(self, key1: Key, key2: Key) -> list[Any]:
        """Returns the keys closer to key1 than key2 is, by position."""
        cosines = self._cosines(self.get_vector(key1))
        own = self.get_index(key1)
        closer = np.flatnonzero(cosines > cosines[self.get_index(key2)])
        return self._keys_at(i for i in closer.tolist() if i != own)

    def rank(self, key1: Key, key2: Key) -> int:
        """Returns the rank of key2 among the neighbors of key1, from 1."""
        return len(self.closer_than(key1, key2)) + 1

    # --- Similarity. ---

    def similarity(self, w1: Key, w2: Key) -> float:
        """Returns the cosine of two keys. Raises UnknownWordError."""
        return _cosine(self.get_vector(w1), self.get_vector(w2))

    def distance(self, w1: Key, w2: Key) -> float:
        """Returns 1 - the cosine of two keys."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Term,
                  other_words: Iterable[Key] = ()) -> Floats:
        """Returns 1 - the cosines of a key or vector with others or all."""
        vector = self._vector_of(word_or_vector)
        others = list(other_words)
        cosines = (self.cosine_similarities(vector, self[others]) if others
                   else self._cosines(vector))
        distances: Floats = 1 - cosines
        return distances

    @staticmethod
    def cosine_similarities(vector_1: ArrayLike,
                            vectors_all: ArrayLike) -> Floats:
        """Returns the cosines of a vector [dim] with others [n, dim]."""
        vector, others = np.asarray(vector_1), np.asarray(vectors_all)
        lengths = np.linalg.norm(vector) * np.linalg.norm(others, axis=1)
        cosines: Floats = others @ vector / lengths
        return cosines

    def n_similarity(self, ws1: Sequence[Key], ws2: Sequence[Key]) -> float:
        """Returns the cosine of the means of two sets of keys."""
        if not len(ws1) or not len(ws2):
            raise ZeroDivisionError(
                f"each list needs at least one key, found {len(ws1)} and "
                f"{len(ws2)}")
        return _cosine(self.get_mean_vector(ws1, pre_normalize=False),
                       self.get_mean_vector(ws2, pre_normalize=False))

    def relative_cosine_similarity(self, wa: Key, wb: Key,
                                   topn: int = 10) -> float:
        """Returns the cosine of two keys over the sum for wa's neighbors."""
        neighbors: Answers = self.similar_by_key(wa, topn)
        return self.similarity(wa, wb) / sum(score for _, score in neighbors)

    def most_similar_to_given(self, key1: Key, keys_list: Sequence[Any]) -> Any:
        """Returns the key of a list that is most similar to key1."""
        return max(keys_list, key=lambda key: self.similarity(key1, key))

    def doesnt_match(self, words: Sequence[Any]) -> Any:
        """Returns the word farthest from the mean of all.

        Unknown words are ignored. Raises ValueError if no word is known.
        """
        if not self._known(words):
            raise ValueError("words: none of them has a vector")
        return self.rank_by_centrality(words)[-1][1]

    def rank_by_centrality(self, words: Sequence[Any],
                           use_norm: bool = True) -> list[tuple[float, Any]]:
        """Returns words and their cosine with the mean of all, highest first.

        use_norm: scale vectors to length 1 before taking the mean.
        """
        known = self._known(words)
        if not known:
            raise ValueError("words: none of them has a vector")
        rows = np.vstack([self.get_vector(word, use_norm) for word in known])
        mean = self.get_mean_vector(known, pre_normalize=use_norm,
                                    post_normalize=True)
        return sorted(zip((rows @ mean).tolist(), known), reverse=True)

    def get_mean_vector(self, keys: Sequence[Term],
                        weights: ArrayLike | None = None,
                        pre_normalize: bool = True,
                        post_normalize: bool = False,
                        ignore_missing: bool = True) -> Floats:
        """Returns the weighted mean of keys and vectors: float32 [vector_size].

        pre_normalize: scale vectors of keys (but not others) to length 1 first;
        post_normalize: scale the mean. ignore_missing: ignore unknown keys,
        with mean 0 if none is known; otherwise they raise UnknownWordError.
        Raises ValueError.
        """
        if len(keys) == 0:
            raise ValueError("keys: pass at least one key or vector")
        factors = np.ones(len(keys)) if weights is None else np.asarray(weights)
        if len(factors) != len(keys):
            raise ValueError(f"expected a weight for each of {len(keys)} keys, "
                             f"found {len(factors)}")
        total, share = np.zeros(self._dim), 0.0
        for key, factor in zip(keys, factors):
            if isinstance(key, np.ndarray):
                total += factor * self._table.checked_rows(key, ndim=1)
            elif key in self:
                total += factor * self.get_vector(key, norm=pre_normalize)
            elif ignore_missing:
                continue
            else:
                raise self._unknown(key)
            share += abs(factor)
        length = float(np.linalg.norm(total)) if post_normalize else share
        mean: Floats = (total / (length or 1)).astype(np.float32)
        return mean

    def wmdistance(self, document1: Sequence[Key], document2: Sequence[Key],
                   norm: bool = True) -> float:
        """Returns the word mover's distance of two lists of words, 0 to 2.

        Unknown words are ignored; the distance is infinite if a list has no
        known word. Vectors are scaled to length 1 first. Source: Kusner et al.,
        "From Word Embeddings to Document Distances", ICML 2015.
        """
        if not norm:
            raise NotImplementedError(
                "norm: the distance always uses vectors of length 1")
        lists = [self._words_of(document1), self._words_of(document2)]
        table, texts = self._table, [" ".join(words) for words in lists]
        if [text.split() for text in texts] != lists or not all(
                map(is_utf8, texts)):
            table, texts = self._with_numbers(lists)
        answer, = answers_to("text-similarity", {"model": table},
                             [dict(zip("ab", texts))], True)
        if "error" in answer:
            raise ValueError(answer["error"])
        distance = answer["value"]
        return float("inf") if distance is None else float(distance)

    # --- Helpers. ---

    def _known(self, words: Sequence[Any]) -> list[Any]:
        known = [word for word in words if word in self]
        if len(known) < len(words):
            logger.warning("words without vectors are left out: %s",
                           sorted(set(words) - set(known), key=str))
        return known

    def _words_of(self, keys: Sequence[Key]) -> list[str]:
        """Returns the words of keys and positions, and nothing for others."""
        words = []
        for key in keys:
            word = self._word(key)
            if not isinstance(key, str) and (
                    word is None or not self._table.has_subwords):
                place = self._place(key)
                word = self._table.words[place] if place >= 0 else None
            if word is not None:
                words.append(word)
        return words

    def _with_numbers(
            self, lists: list[list[str]]) -> tuple[Vectors, list[str]]:
        """Returns texts of numbered words, and vectors of these numbers.

        Words need numbers if they contain white space or are not UTF-8.
        """
        none = np.zeros(self._dim, np.float32)
        rows = {word: self._table.get(word, none)
                for words in lists for word in words}
        numbers = {word: str(i) for i, word in enumerate(rows)}
        return Vectors.from_arrays(numbers.values(), list(rows.values())), [
            " ".join(numbers[word] for word in words) for words in lists]

    def _restrict(self, end: int | None) -> int | None:
        """Returns how many words can be answers, for the library."""
        return None if end is None or end >= len(self) else end

    def _cosines(self, vector: ArrayLike) -> Floats:
        """Returns the cosines of all keys with a vector."""
        return self._table.similarities(np.asarray(vector, np.float32))

    def _vector_of(self, term: Any) -> NDArray[Any]:
        """Returns the vector of a key, or the vector itself."""
        if isinstance(term, KEYS):
            return self.get_vector(term)
        return np.asarray(term)

    def _shifted_product(self, terms: list[Any]) -> NDArray[np.float64]:
        """Returns the product of (1 + cosine) / 2 over the terms, for all keys.

        The cosine with a given vector is multiplied by its length.
        """
        product = np.ones(len(self))
        for term in terms:
            is_key = isinstance(term, KEYS)
            vector = self._vector_of(term)
            # gensim makes the vectors of keys 1 long, and others not.
            length = 1.0 if is_key else float(np.linalg.norm(vector))
            product *= (1 + length * self._cosines(vector)) / 2
        return product

    def _best(self, scores: NDArray[Any], asked: set[int], topn: int,
              begin: int, end: int) -> Answers:
        wanted = min(topn + len(asked), len(scores[begin:end]))
        if wanted == 0:
            return []
        places = begin + np.argpartition(
            -scores[begin:end], wanted - 1)[:wanted]
        places = places[np.argsort(-scores[places], kind="stable")]
        return self._answers(places, scores[places], asked, topn)

    def _answers(self, places: NDArray[Any], scores: NDArray[Any],
                 asked: set[int], topn: int) -> Answers:
        best = [(i, score) for i, score in zip(places.tolist(), scores.tolist())
                if i >= 0 and i not in asked][:topn]
        return list(zip(self._keys_at(i for i, _ in best),
                        (score for _, score in best)))


def _weighted(terms: Terms | None, weight: float) -> list[tuple[Any, float]]:
    """Returns terms as a list, each with its own weight or the default."""
    if terms is None:
        return []
    if isinstance(terms, KEYS) or (
            isinstance(terms, np.ndarray) and terms.ndim == 1):
        terms = [terms]
    return [(term[0], float(term[1])) if isinstance(term, tuple)
            else (term, weight) for term in terms]


def _cosine(a: Floats, b: Floats) -> float:
    # In float64, whose squares hold those of every float32.
    first, second = a.astype(np.float64), b.astype(np.float64)
    lengths = np.linalg.norm(first) * np.linalg.norm(second)
    return float(first @ second / (lengths or 1))
