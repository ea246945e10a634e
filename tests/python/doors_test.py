"""Every question has the same answer on the command line, over HTTP, in C and in
Python, byte for byte."""

import json
import re
import subprocess
import urllib.request

import pytest

import firth
from firth._ask import opened
from firth._firth_c import ffi, lib
from firth._native import buffer_view, created

TEXTS = ["the king spoke", "a queen spoke of rivers", "the river ran"]
ANALOGIES = ": family\nman king woman queen\nman king woman river\n"
PAIRS = "king queen 9\nking man 3\nking river 1\n"
WEAT = ": test\nx: king\ny: queen, river\na: man\nb: woman\n"


@pytest.fixture(scope="module")
def models(tmp_path_factory, program):
    """Files of models by kind, two of vectors, and test sets by field."""
    folder = tmp_path_factory.mktemp("doors")

    def write(name, text):
        path = folder / name
        path.write_text(text)
        return path

    def run(*arguments, **options):
        subprocess.run([program, *map(str, arguments)], check=True,
                       capture_output=True, **options)

    text = write("text.txt", "\n".join(TEXTS * 3) + "\n")
    old = write("old.vec", "5 2\nking 1 0\nqueen 0.8 0.6\nman 0 1\n"
                           "woman -0.6 0.8\nriver -1 0\n")
    new = write("new.vec", "4 2\nking 0 1\nqueen 0.6 0.8\nman 1 0\n"
                           "castle 0.1 1\n")
    ngrams = folder / "ngrams.safetensors"
    run("train", "--input", text, "--output", ngrams, "--min-count", 1,
        "--dim", 4, "--epochs", 1, "--threads", 1, "--subword-index", "buckets",
        "--buckets", 100)
    language_model = folder / "lm.safetensors"
    run("lm", "train", "--input", text, "--output", language_model, "--units", 4,
        "--projection", 0, "--layers", 1, "--epochs", 1, "--min-count", 1,
        "--threads", 1)
    tagged = write("tagged.txt", "the/D king/N spoke/V\na/D queen/N\n" * 3)
    tagger = folder / "tagger.safetensors"
    run("tag", "train", "--input", tagged, "--form", "slashes", "--vectors", old,
        "--units", 2, "--epochs", 1, "--threads", 1, "--output",
        folder / "unpacked.safetensors")
    run("tag", "pack", folder / "unpacked.safetensors", "--vectors", old,
        "--output", tagger)
    pairs = write("pairs.tsv", "the king spoke\tspoke king the\n"
                  "a queen\tqueen a\n")
    seq2seq = folder / "seq2seq.safetensors"
    run("seq2seq", "train", "--input", pairs, "--output", seq2seq, "--units", 2,
        "--epochs", 1, "--threads", 1)
    hmm = folder / "hmm.safetensors"
    run("tag", "train", "--model", "hmm", "--input", tagged, "--form", "slashes",
        "--output", hmm)
    labelled = write("labelled.txt", "__label__court the king spoke\n"
                     "__label__land the river ran\n" * 5)
    classifier = folder / "classifier.safetensors"
    run("classify", "train", "--input", labelled, "--output", classifier,
        "--threads", 1)
    return {
        "vectors": [old, new], "ngrams": ngrams,
        "language model": [language_model], "tagger": [tagger, hmm],
        "classifier": [classifier],
        "sequence-to-sequence model": [seq2seq],
        "files": {"analogies": write("analogies.txt", ANALOGIES),
                  "similarity": write("pairs.txt", PAIRS),
                  "weat": write("weat.txt", WEAT),
                  "reference": text},
    }


def paths_of(question, models):
    """Returns the model of each slot, and None for an optional one."""
    if question["name"] == "ngrams":
        return [models["ngrams"]]
    numbers, paths = {}, []
    for slot in question["slots"]:
        kind = slot["kind"]
        numbers[kind] = numbers.get(kind, -1) + 1
        paths.append(models[kind][numbers[kind]] if slot["required"] else None)
    return paths


def requests_of(question, models):
    """Returns requests: the example, with other words, and with unknown ones."""
    properties = question["request"]["properties"]
    files = {name: [str(path)] if properties[name]["type"] == "array" else str(path)
             for name, path in models["files"].items() if name in properties}
    requests = [question["example"]]
    changed = json.loads(json.dumps(question["example"]).replace(
        '"king"', '"river"'))
    unknown = json.loads(json.dumps(question["example"]).replace(
        '"king"', '"kign"'))
    requests += [one for one in (changed, unknown) if one not in requests]
    return requests, files


def command_of(question, request):
    """Returns the options, the words and the standard input of a request."""
    options, words, lines = [], [], ""
    is_stream = question["name"] in STREAMS
    arguments = ["text"] if is_stream else question["arguments"]
    properties = question["request"]["properties"]
    for name, value in request.items():
        if name in arguments and properties[name]["type"] == "string":
            continue
        if value is True:
            options.append(f"--{name}")
            continue
        text = ",".join(value) if isinstance(value, list) else str(value)
        options += [f"--{name}", text]
    texts = [request[name] for name in arguments
             if properties[name]["type"] == "string"]
    if is_stream:
        lines = "\n".join(texts) + "\n"
    else:
        words = texts
    return options, words, lines


# Their commands read texts from standard input.
STREAMS = {"sentence-vectors", "tag", "classify", "embed", "lm-score",
           "seq2seq"}


def on_command_line(program, question, paths, request, files):
    options, words, lines = command_of(question, request)
    for name, path in files.items():
        options += [f"--{name}", *([path] if isinstance(path, str) else path)]
    done = subprocess.run(
        [program, *question["command"].split(), *map(str, filter(None, paths)),
         *words, *options, "--json"], input=lines, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.endswith("\n") and done.stdout.count("\n") == 1, (
        done.stdout + done.stderr)
    return done.stdout[:-1]


class Service:
    """A service of all models, each under the name of its file."""

    def __init__(self, program, models):
        paths = sum((models[kind] for kind in (
            "vectors", "language model", "tagger", "classifier",
            "sequence-to-sequence model")), [])
        served = [name for name in ("analogies", "similarity")]
        options = sum(([f"--{name}", str(models["files"][name])]
                       for name in served), [])
        self.process = subprocess.Popen(
            [program, "serve", *map(str, paths), str(models["ngrams"]),
             "--index", "exact", "--text", str(models["files"]["reference"]),
             *options, "--port", "0", "--access-log", "off"],
            stderr=subprocess.PIPE, text=True)
        self.address = next(re.search(r"http://\S+", line)[0]
                            for line in self.process.stderr if "http://" in line)

    def ask(self, question, paths, requests):
        names = {slot["name"]: path.stem for slot, path in
                 zip(question["slots"], paths) if path is not None}
        request = urllib.request.Request(
            f"{self.address}/{question['name']}",
            json.dumps({**names, "requests": requests}).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return answer.read().decode().removesuffix("\n")

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()


@pytest.fixture(scope="module")
def service(models, program):
    service = Service(program, models)
    yield service
    service.end()


def load(kind, path):
    return {"vectors": firth.load, "language model": firth.LanguageModel.load,
            "tagger": firth.Tagger.load,
            "classifier": firth.Classifier.load,
            "sequence-to-sequence model": firth.Seq2Seq.load}[kind](path)


def in_c(question, loaded, requests):
    """Returns the text that firth_ask() gives."""
    names = {slot["name"]: model for slot, model in
             zip(question["slots"], loaded) if model is not None}
    body = json.dumps({**{name: name for name in names},
                       "requests": requests}).encode()
    name = question["name"].encode()
    return bytes(buffer_view(created(
        "FirthBuffer", lib.firth_ask, opened(names), name, len(name), body,
        len(body), ffi.NULL, ffi.NULL))).decode()


def assert_same_bytes(question, paths, models, service, program):
    requests, files = requests_of(question, models)
    with_files = [{**request, **files} for request in requests]
    loaded = [path and load(slot["kind"], path)
              for slot, path in zip(question["slots"], paths)]
    c_text = in_c(question, loaded, with_files)
    lines = [on_command_line(program, question, paths, request, files)
             for request in requests]
    assert f'{{"answers":[{",".join(lines)}]}}' == c_text
    answers = firth.ask(question["name"], *loaded, requests=with_files)
    assert json.dumps({"answers": answers}, separators=(",", ":"),
                      ensure_ascii=False) == c_text
    if "weat" in files:  # The service has no such file.
        c_text = in_c(question, loaded, requests)
    assert service.ask(question, paths, requests) == c_text


@pytest.mark.parametrize("name", list(firth.questions()))
def test_all_doors_give_the_same_bytes(name, models, service, program):
    question = firth.questions()[name]
    assert_same_bytes(question, paths_of(question, models), models, service,
                      program)


def test_a_hidden_markov_model_is_a_tagger(models, service, program):
    hmm = models["tagger"][1]
    assert_same_bytes(firth.questions()["tag"], [hmm], models, service, program)
    tagger = firth.Tagger.load(hmm)
    assert tagger.tag(["the king spoke"]) == [["D", "N", "V"]]
