"""What the benchmarks of classifiers share: texts with labels, folds, Firth."""

import collections
import os
import random
import subprocess
from collections.abc import Iterator, Sequence

import measuring
from measuring import BenchError

PREFIX = "__label__"

# A text's most probable label, and how probable it is said to be.
Answer = tuple[str, float]


def read_lines(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="\n") as lines:
        return list(lines)


class Folder:
    """A temporary folder with the texts of a training and its test."""

    def __init__(self, path: str, train: list[str], test: list[str]) -> None:
        self.path = path
        self.train, self.test = train, test
        self.train_file = self.write("train.txt", train)
        self.test_file = self.write("test.txt", test)

    def write(self, name: str, lines: list[str]) -> str:
        path = os.path.join(self.path, name)
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(lines)
        return path

    def model(self, name: str) -> str:
        return os.path.join(self.path, name)


def label_of(line: str) -> str:
    return line.split(None, 1)[0][len(PREFIX):]


def text_of(line: str) -> str:
    parts = line.split(None, 1)
    return parts[1] if len(parts) > 1 else ""


def lines_of(command: list[object]) -> list[str]:
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def run_firth(program: str, options: Sequence[object], seed: int, folder: Folder,
              cores: set[int]) -> tuple[float, list[Answer]]:
    model = folder.model("m.safetensors")
    took = measuring.run([program, "classify", "train", "--quiet", "--threads", 1,
                          "--seed", seed, *options, "--input", folder.train_file,
                          "--output", model], cores)
    answers = []
    for line in lines_of([program, "classify", "predict", model, "--threads", 1,
                          "--top", 1, "--input", folder.test_file]):
        label, probability = line.split("\t")
        answers.append((label, float(probability)))
    return took.cpu_seconds, answers


def deal(lines: list[str], folds: int) -> list[int]:
    """The fold of each text: those of a label in turn."""
    dealt: collections.Counter[str] = collections.Counter()
    numbers = []
    for line in lines:
        label = label_of(line)
        numbers.append(dealt[label] % folds)
        dealt[label] += 1
    return numbers


def cross_validation(lines: list[str],
                     folds: int) -> Iterator[tuple[list[str], list[str]]]:
    """What is learned from and what is labelled, fold by fold."""
    numbers = deal(lines, folds)
    for fold in range(folds):
        yield ([line for line, number in zip(lines, numbers) if number != fold],
               [line for line, number in zip(lines, numbers) if number == fold])


def few_of(lines: list[str], count: int,
           seed: int) -> tuple[list[str], list[str]]:
    """So many lines of each label, drawn by the seed, and the others."""
    order = lines[:]
    random.Random(seed).shuffle(order)
    seen: collections.Counter[str] = collections.Counter()
    few, others = [], []
    for line in order:
        seen[label_of(line)] += 1
        (few if seen[label_of(line)] <= count else others).append(line)
    return few, others
