"""What the benchmark scripts share: running, scoring, texts, tables."""

import collections
import dataclasses
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FIRTH = os.path.join(ROOT, "build", "release", "firth")
OUTPUT = os.path.join(ROOT, "build", "bench")

# The analogies are asked among this many of the most frequent words.
RESTRICT = 30000
SIMILARITY_SETS = ("WS-353-ALL", "SIMLEX-999", "MEN-TR-3k", "RW-STANFORD")


class BenchError(Exception):
    """Something outside the benchmark went wrong; the message says what."""


@dataclasses.dataclass
class Run:
    """What one run of a program took."""
    seconds: float  # wall time
    cpu_seconds: float
    peak_mb: float  # resident memory, in 10^6 bytes


def run(command: Sequence[object], cpus: Iterable[int]) -> Run:
    """Runs a command on the given cores; BenchError if it fails."""
    words = [str(word) for word in command]
    cores = set(cpus)
    with tempfile.TemporaryFile() as log:
        begin = time.monotonic()
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT,
            # A program's threads are those it was asked for, not also BLAS's.
            env=dict(os.environ, OPENBLAS_NUM_THREADS="1"),
            preexec_fn=lambda: os.sched_setaffinity(0, cores))
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:  # Ctrl-C must not leave it running
            child.kill()
            raise
        seconds = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise BenchError(_complaint(words, child.returncode, log))
    return Run(seconds, usage.ru_utime + usage.ru_stime,
               usage.ru_maxrss * 1024 / 1e6)


def _complaint(words: Sequence[str], code: int, log: Any) -> str:
    how = (f"ended by {signal.Signals(-code).name}" if code < 0
           else f"exit code {code}")
    log.seek(0)
    lines = log.read()[-2000:].decode(errors="replace").split("\n")
    last = [line for line in lines if line.strip()][-3:]
    return (f"{os.path.basename(words[0])}: {how}: {' / '.join(last)} "
            f"(command: {' '.join(words)})")


def ask(command: Sequence[object]) -> Any:
    """The JSON that a command prints; BenchError if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(words)}: exit code {done.returncode}: "
                         f"{done.stderr.decode(errors='replace').strip()}")
    return json.loads(done.stdout)


def save_output(command: Sequence[object], path: str) -> None:
    """Runs a command with its standard output going to a file."""
    words = [str(word) for word in command]
    with open(path, "wb") as out:
        done = subprocess.run(words, stdout=out, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(words)}: exit code {done.returncode}")


# Texts.

def corpus_facts(firth: str, text: str, *options: object) -> dict[str, Any]:
    """What `firth vocab` counts: words_kept, types_kept and others."""
    return ask([firth, "vocab", "--input", text, "--json", "--top", 1,
                *options])["corpus"]


def cut_text(source: str, words: int, target: str) -> None:
    """Copies the first lines of a text, plain or .zst, until there are at
    least `words` words or the text ends."""
    if source.endswith(".zst"):
        with subprocess.Popen(["zstd", "-dcq", source],
                              stdout=subprocess.PIPE) as unpack:
            _copy_words(unpack.stdout, words, target)
            unpack.kill()
    else:
        with open(source, "rb") as lines:
            _copy_words(lines, words, target)


def _copy_words(lines: Any, words: int, target: str) -> None:
    with open(target, "wb") as out:
        for line in lines:
            out.write(line)
            words -= len(line.split())
            if words <= 0:
                return


def thin_text(source: str, step: int, target: str) -> None:
    """Copies every step-th line of a plain text."""
    with open(source, "rb") as lines, open(target, "wb") as out:
        for number, line in enumerate(lines):
            if number % step == 0:
                out.write(line)


# Quality.

def standard_tests(data: str) -> list[str]:
    """Options of `firth eval` for the test sets in a folder laid out as
    FIRTH_DATA."""
    options = ["--lowercase", "--restrict", str(RESTRICT), "--analogies",
               f"{data}/analogy/questions-words.txt", "--similarity"]
    return options + [f"{data}/similarity/EN-{name}.txt"
                      for name in SIMILARITY_SETS]


# Percent by column; None where the vocabulary covers too little of a set.
Scores = dict[str, float | None]


def evaluate(firth: str, vectors: str, options: Sequence[str]) -> Scores:
    """What `firth eval` finds."""
    report = ask([firth, "eval", vectors, "--json", *options])
    scores: Scores = {}
    for test in report["analogies"]:
        scores.update(_analogy_scores(test["sections"]))
    for test in report["similarity"]:
        name = os.path.basename(test["file"]).split("-")[1]
        spearman = test["spearman"]
        scores[name] = None if spearman is None else 100 * spearman
    return scores


def percent(score: float | None) -> str:
    return "–" if score is None else f"{score:.1f}"


def _analogy_scores(sections: Iterable[dict[str, Any]]) -> Scores:
    correct: collections.Counter[str] = collections.Counter()
    asked: collections.Counter[str] = collections.Counter()
    for section in sections:
        kind = "syn" if section["name"].startswith("gram") else "sem"
        for key in ("analogies", kind):
            correct[key] += section["correct"]
            asked[key] += section["asked"]
    # Only questions-words tells syntax from semantics by its sections' names.
    keys = ("analogies", "sem", "syn") if asked["syn"] else ("analogies",)
    return {key: 100 * correct[key] / asked[key] if asked[key] else None
            for key in keys}


# Results.

def spread(values: Sequence[float], form: Callable[[float], str]) -> str:
    """Median and range, as "2.10 (1.98–2.31)"."""
    if len(values) == 1:
        return form(values[0])
    return (f"{form(statistics.median(values))} "
            f"({form(min(values))}–{form(max(values))})")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def machine() -> dict[str, Any]:
    """What a result depends on besides the programs."""
    return {"cpu": _cpu_model(), "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.release()}",
            "load_average": os.getloadavg()[0],
            "date": time.strftime("%Y-%m-%d")}


def _cpu_model() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def describe(facts: dict[str, Any]) -> str:
    """One line about the machine, for the head of a table."""
    return (f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}, "
            f"{facts['date']}, load before the first run "
            f"{facts['load_average']:.2f}")


def write_text(path: str, text: str) -> None:
    """Replaces a file by whole new contents; makes its folder."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".part", path)


def write_json(path: str, value: Any) -> None:
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


# Command lines.

def first_cores(count: int) -> set[int]:
    """That many of the cores that this process may use."""
    here = sorted(os.sched_getaffinity(0))
    if count > len(here):
        raise BenchError(f"expected at most {len(here)} threads, one for each "
                         f"core of this process, found {count}")
    return set(here[:count])


def parse_cores(text: str) -> set[int]:
    """Of a list such as "0,1"."""
    here = os.sched_getaffinity(0)
    cores = {int(part) if part.isdigit() else -1 for part in text.split(",")}
    if not cores <= here:
        raise BenchError(f"--cpus: expected cores of "
                         f"{','.join(map(str, sorted(here)))}, found {text}")
    return cores


def say(script: str, message: str) -> None:
    print(f"{script}: {message}", file=sys.stderr, flush=True)


def require_firth(path: str) -> None:
    if not os.access(path, os.X_OK):
        raise BenchError(f"no program {path}; `make` builds it")


def run_script(name: str, main: Callable[[], int]) -> None:
    """Runs main() and turns what the world did wrong into one line."""
    # As Ctrl-C: the program that is being measured ends, too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        sys.exit(main())
    except (BenchError, OSError) as error:
        say(name, str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        say(name, "interrupted")
        sys.exit(130)
