"""Lemmas with their forms, and neighbors, for inflections and small_texts."""

import collections
import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence

import measuring

# Fields of CoNLL-U.
ID, FORM, LEMMA, UPOS = 0, 1, 2, 3
INFLECTED = {"NOUN", "VERB", "ADJ", "AUX", "PROPN"}


def lines_of(path: str) -> Iterator[str]:
    """The lines of a text, plain or .zst."""
    if path.endswith(".zst"):
        with subprocess.Popen(["zstd", "-dcq", path], stdout=subprocess.PIPE,
                              text=True, encoding="utf-8") as unpack:
            assert unpack.stdout is not None
            yield from unpack.stdout
        if unpack.returncode != 0:
            raise measuring.BenchError(f"{path}: zstd failed")
        return
    with open(path, encoding="utf-8") as lines:
        yield from lines


def read_lemmas(paths: Iterable[str], lowercase: bool) -> dict[str, set[str]]:
    """{form: lemmas} of the inflected words of treebanks (CoNLL-U) and of
    tables (lemma, form, features). A lemma of a table is one of its forms."""
    lemmas = collections.defaultdict(set)

    def add(form: str, lemma: str) -> None:
        lemmas[form.lower() if lowercase else form].add(lemma.lower())

    for path in paths:
        for number, line in enumerate(lines_of(path), 1):
            fields = line.rstrip("\n").split("\t")
            if line.startswith("#") or not line.strip():
                continue
            if len(fields) == 3:
                add(fields[1], fields[0])
                add(fields[0], fields[0])
            elif len(fields) != 10:
                raise measuring.BenchError(
                    f"{path}:{number}: expected 3 or 10 fields between tabs, "
                    f"found {len(fields)}")
            elif fields[UPOS] in INFLECTED and "-" not in fields[ID]:
                add(fields[FORM], fields[LEMMA].replace("#", ""))
    return lemmas


def neighbors(firth: str, vectors: str, words: Sequence[str], top: int,
              oov: str | None = None) -> dict[str, list[str]]:
    """{word: its nearest neighbors} of the words that have an answer."""
    command = [firth, "nn", vectors, "--top", str(top), "--json"]
    if oov is not None:
        command += ["--oov", oov]
    done = subprocess.run(command, text=True, encoding="utf-8",
                          input="".join(word + "\n" for word in words),
                          stdout=subprocess.PIPE, check=False)
    answers = list(map(json.loads, done.stdout.splitlines()))
    # 1 with an answer to each question: a word has no vector.
    if done.returncode not in ([0, 1] if len(answers) == len(words) else [0]):
        raise measuring.BenchError(
            f"{' '.join(command)}: exit code {done.returncode}")
    return {answer["query"]: [found["word"] for found in answer["neighbors"]]
            for answer in answers if "neighbors" in answer}


def share(count: int, total: int) -> str:
    return f"{count:,} of {total:,} ({100 * count / max(1, total):.1f}%)"
