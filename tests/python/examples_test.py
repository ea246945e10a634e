"""The examples in docstrings and in docs/reference/python.md are run."""

import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

import firth

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["firth"] + [
    "firth." + module.name for module in pkgutil.iter_modules(firth.__path__)
    if module.name != "_firth_c"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_say_what_happens(name, vectors, vectors_path,
                                                 language_model):
    if name == "firth.sklearn":
        pytest.importorskip(
            "sklearn", reason="scikit-learn is not installed (python3-sklearn)")
    module = importlib.import_module(name)
    found = doctest.testmod(
        module,
        extraglobs={"firth": firth, "vectors": vectors,
                    "vectors_path": vectors_path,
                    "language_model": language_model},
        optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
    assert found.attempted == inspect.getsource(module).count(">>> ")


def test_what_the_package_offers_is_explained():
    for name in firth.__all__:
        offered = getattr(firth, name)
        assert offered.__doc__, name
        for method, value in vars(offered).items() if isinstance(
                offered, type) else ():
            if not method.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{method}"


def test_the_page_about_python_does_what_it_says(tmp_path, monkeypatch,
                                                 program):
    monkeypatch.chdir(tmp_path)
    corpus = subprocess.run(
        [program, "demo", "--print", "corpus", "--words", "100000"],
        check=True, capture_output=True, text=True).stdout
    (tmp_path / "corpus.txt").write_text(corpus)
    (tmp_path / "questions.txt").write_text(": capitals\n"
                                            "france paris japan tokyo\n")
    (tmp_path / "pairs.txt").write_text("japan tokyo 9\njapan soup 1\n")
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, "docs/reference/python.md", "exec"), names)
    assert names["vectors"].dim == 50 and "kings" in names["model"]
    assert names["ids"].shape == (2, 10)
    assert 0 <= names["measured"].analogies[0].accuracy <= 1
