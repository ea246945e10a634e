"""How each program is told to do a job, and where its options mean something
else than Firth's.

A new program is one function that gives the command of a job, or None where the
program cannot do it, and one entry in PROGRAMS.
"""

import dataclasses
from collections.abc import Callable, Sequence

# What every program is asked for: the words on each side, the threshold of
# subsampling, the least count of a word.
WINDOW = 5
SAMPLE = 1e-4
MIN_COUNT = 5

# The learning rates that each program's users take; Firth has its defaults.
SKIP_GRAM_RATE = 0.025
CBOW_RATE = 0.05
KOAN_CBOW_RATE = 0.075
SUBWORD_RATE = 0.05  # fastText's own, and gensim's users'

# The n-grams, where there are any: their characters, and the hash's values.
MIN_N, MAX_N, BUCKETS = 3, 6, 2_000_000


@dataclasses.dataclass(frozen=True)
class Setting:
    arch: str  # sg or cbow
    loss: str  # ns, nce or hs
    negative: int  # 0 with hs
    dim: int
    subwords: bool = False

    @staticmethod
    def parse(text: str) -> "Setting":
        """Of sg-ns-5-100, cbow-nce-15-300, sg-hs-100, with -subwords behind
        for n-grams; ValueError."""
        parts = text.split("-")
        subwords = parts[-1] == "subwords"
        if subwords:
            parts.pop()
        arch, loss, numbers = parts[0], "".join(parts[1:2]), parts[2:]
        if (arch not in ("sg", "cbow") or loss not in ("ns", "nce", "hs")
                or len(numbers) != (1 if loss == "hs" else 2)
                or not all(number.isdigit() for number in numbers)):
            raise ValueError(f"expected ARCH-LOSS-NEGATIVE-DIM such as "
                             f'sg-ns-5-100, or ARCH-hs-DIM, with -subwords '
                             f'behind or not, found "{text}"')
        negative = 0 if loss == "hs" else int(numbers[0])
        return Setting(arch, loss, negative, int(numbers[-1]), subwords)

    def rate(self) -> float:
        if self.subwords:
            return SUBWORD_RATE
        return SKIP_GRAM_RATE if self.arch == "sg" else CBOW_RATE


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of a program."""
    program: str
    setting: Setting
    corpus: str
    output: str
    threads: int
    epochs: int


Command = Sequence[object]


def firth(job: Job, *more: object) -> Command | None:
    s = job.setting
    command = [job.program, "train", "--quiet", "--input", job.corpus,
               "--output", job.output, "--arch",
               "skipgram" if s.arch == "sg" else "cbow", "--loss", s.loss,
               "--dim", s.dim, "--window", WINDOW, "--sample", SAMPLE,
               "--min-count", MIN_COUNT, "--epochs", job.epochs, "--threads",
               job.threads, *more]
    if s.subwords:
        command += ["--min-n", MIN_N, "--max-n", MAX_N, "--buckets", BUCKETS,
                    "--learning-rate", s.rate()]
    return command if s.loss == "hs" else [*command, "--negative", s.negative]


def firth_word2vec_gradient(job: Job) -> Command | None:
    if job.setting.arch == "sg":
        return None
    return firth(job, "--cbow-gradient", "word2vec")


def firth_shared_windows(job: Job) -> Command | None:
    if job.setting.loss == "hs":
        return None
    return firth(job, "--shared-windows", 2)


def fasttext(job: Job) -> Command | None:
    s = job.setting
    if s.loss == "nce":
        return None
    min_n, max_n, buckets = (MIN_N, MAX_N, BUCKETS) if s.subwords else (0, 0, 0)
    return [job.program, "skipgram" if s.arch == "sg" else "cbow", "-input",
            job.corpus, "-output", job.output.removesuffix(".vec"), "-loss",
            s.loss, "-neg", s.negative or 5, "-dim", s.dim, "-ws", WINDOW,
            "-t", SAMPLE, "-minCount", MIN_COUNT, "-epoch", job.epochs, "-lr",
            s.rate(), "-thread", job.threads, "-minn", min_n, "-maxn",
            max_n, "-bucket", buckets, "-verbose", 0]


GENSIM = f"""
import sys
from gensim.models import FastText, Word2Vec
(corpus, output, sg, hs, negative, dim, epochs, threads, rate,
 subwords) = sys.argv[1:]
more = dict(min_n={MIN_N}, max_n={MAX_N}, bucket={BUCKETS})
model = (FastText if int(subwords) else Word2Vec)(
    corpus_file=corpus, sg=int(sg), hs=int(hs), negative=int(negative),
    vector_size=int(dim), window={WINDOW}, sample={SAMPLE},
    min_count={MIN_COUNT}, epochs=int(epochs), workers=int(threads),
    alpha=float(rate), **(more if int(subwords) else dict()))
model.wv.save_word2vec_format(output, binary=True)
"""


def gensim(job: Job) -> Command | None:
    s = job.setting
    if s.loss == "nce":
        return None
    return [job.program, "-c", GENSIM, job.corpus, job.output,
            int(s.arch == "sg"), int(s.loss == "hs"), s.negative, s.dim,
            job.epochs, job.threads, s.rate(), int(s.subwords)]


def word2vec(job: Job) -> Command | None:
    s = job.setting
    if s.loss == "nce" or s.subwords:
        return None
    return [job.program, "-train", job.corpus, "-output", job.output, "-binary",
            1, "-cbow", int(s.arch == "cbow"), "-hs", int(s.loss == "hs"),
            "-negative", s.negative, "-size", s.dim, "-window", WINDOW,
            "-sample", SAMPLE, "-min-count", MIN_COUNT, "-iter", job.epochs,
            "-threads", job.threads, "-alpha", s.rate()]


def pword2vec(job: Job) -> Command | None:
    s = job.setting
    if s.arch == "cbow" or s.loss != "ns" or s.subwords:
        return None
    return [job.program, "-train", job.corpus, "-output", job.output, "-binary",
            1, "-negative", s.negative, "-size", s.dim, "-window", WINDOW,
            "-sample", SAMPLE, "-min-count", MIN_COUNT, "-iter", job.epochs,
            "-threads", job.threads, "-alpha", s.rate()]


def koan(job: Job) -> Command | None:
    s = job.setting
    if s.loss != "ns" or s.subwords:
        return None
    cbow = s.arch == "cbow"
    return [job.program, "-f", job.corpus, "-p", job.output, "-d", s.dim, "-c",
            WINDOW, "-n", s.negative, "-k", MIN_COUNT, "-o", SAMPLE, "-e",
            job.epochs, "-t", job.threads, "-l",
            KOAN_CBOW_RATE if cbow else s.rate(), "-b", str(cbow).lower(),
            "-P"]


def word2vec_plus_plus(job: Job) -> Command | None:
    s = job.setting
    if s.loss == "nce" or s.subwords:
        return None
    # Words end at white space and sentences at line ends, as for the others;
    # by default they also end at punctuation.
    command = [job.program, "-f", job.corpus, "-o", job.output, "-s", s.dim,
               "-w", WINDOW, "-l", SAMPLE, "-t", job.threads, "-i", job.epochs,
               "-m", MIN_COUNT, "-a", s.rate(), "-d", " \n\t\v\f\r", "-e", "\n"]
    command += ["-g"] if s.arch == "sg" else []
    return command + (["-h"] if s.loss == "hs" else ["-n", s.negative])


@dataclasses.dataclass(frozen=True)
class Note:
    """A difference to say beside a result, where it applies."""
    text: str
    arch: str = ""  # "" for both
    loss: str = ""  # "" for all
    subwords: bool | None = None  # None for both

    def applies(self, setting: Setting) -> bool:
        return (self.arch in ("", setting.arch)
                and self.loss in ("", setting.loss)
                and self.subwords in (None, setting.subwords))


WHOLE_STEP = Note("CBOW gives each context word the whole step, learning rate "
                  f"{CBOW_RATE}", arch="cbow")
OWN_NEGATIVES = Note("negatives drawn for each pair", arch="sg", loss="ns")
SHARED_NEGATIVES = Note("negatives shared by a window", arch="sg", loss="ns")
LINE_END_WORD = Note("the line end is a word, trained like others")
CUT_AT_1000 = Note("sentences are cut at 1,000 words")


@dataclasses.dataclass(frozen=True)
class Program:
    command: Callable[[Job], Command | None]
    suffix: str  # of the vector file it writes
    notes: tuple[Note, ...]

    def notes_for(self, setting: Setting) -> list[str]:
        return [note.text for note in self.notes if note.applies(setting)]


PROGRAMS = {
    "firth": Program(firth, ".bin", (
        SHARED_NEGATIVES,
        Note("negatives shared by a window", arch="sg", loss="nce"),
        Note("CBOW with the true gradient, learning rate 0.1", arch="cbow"))),
    "firth-word2vec-gradient": Program(firth_word2vec_gradient, ".bin",
                                       (WHOLE_STEP,)),
    "firth-shared-windows": Program(firth_shared_windows, ".bin", (
        Note("negatives shared by two windows"),)),
    "fasttext": Program(fasttext, ".vec", (
        Note("without subwords", subwords=False),
        Note("noise exponent 0.5, not 0.75", loss="ns"), OWN_NEGATIVES,
        WHOLE_STEP, LINE_END_WORD,
        Note("sentences are cut at 1,024 words"))),
    "gensim": Program(gensim, ".bin", (
        Note("reads by corpus_file"), OWN_NEGATIVES, WHOLE_STEP,
        Note("sentences are cut at 10,000 words"))),
    "word2vec": Program(word2vec, ".bin", (
        OWN_NEGATIVES, WHOLE_STEP, LINE_END_WORD, CUT_AT_1000)),
    "pword2vec": Program(pword2vec, ".bin", (
        SHARED_NEGATIVES, LINE_END_WORD, CUT_AT_1000)),
    "koan": Program(koan, ".vec", (
        OWN_NEGATIVES,
        Note(f"CBOW with the true gradient, learning rate {KOAN_CBOW_RATE}",
             arch="cbow"),
        Note("keeps up to 500,000 sentences in memory, reads no further text "
             "if that is all"))),
    "word2vec++": Program(word2vec_plus_plus, ".bin", (
        OWN_NEGATIVES, WHOLE_STEP,
        Note("noise distribution approximated by pieces", loss="ns"),
        Note("told to end words at white space only"))),
}


def program(name: str) -> Program:
    """Of a name that may have a suffix, as two builds of one program:
    word2vec:published. KeyError."""
    return PROGRAMS[name.split(":")[0]]
