"""One training run of Firth and what its report says; for grid and growth."""

import dataclasses
import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

import measuring


@dataclasses.dataclass(frozen=True)
class Training:
    """A finished run: speed without reading the text and writing vectors."""
    words_per_second: float  # in the vocabulary, before subsampling
    peak_mb: float
    examples_per_word: float  # skip-gram: pairs; CBOW: windows
    types: int
    seconds: float  # of training, over all epochs


def train(firth: str, text: str, options: Sequence[object], cpus: set[int],
          vectors: str | None = None) -> Training:
    """Trains; `vectors` is the file to write, if it is wanted."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        measuring.run(
            [firth, "train", "--quiet", "--input", text, "--output",
             vectors or os.path.join(folder, "vectors.bin"), "--report",
             report, *options], cpus)
        with open(report, encoding="utf-8") as file:
            return _training(json.load(file))


def _training(report: dict[str, Any]) -> Training:
    examples = sum(epoch["examples"] for epoch in report["epochs"])
    return Training(
        words_per_second=report["words_per_second"],
        peak_mb=report["peak_memory_bytes"] / 1e6,
        examples_per_word=examples / report["words_trained"],
        types=report["corpus"]["types_kept"],
        seconds=sum(epoch["seconds"] for epoch in report["epochs"]))


def fma_peak(bench: str) -> float:
    """FLOP/s that one core reaches with all operands in registers, the best
    of its instruction sets, as firth_bench measures it."""
    result = measuring.ask([bench, "--benchmark_filter=/FmaPeak$",
                            "--benchmark_format=json",
                            "--benchmark_min_time=0.01"])
    return 1e9 * max(one["GFLOP/s"] for one in result["benchmarks"])
