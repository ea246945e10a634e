"""Names of gensim that are not here: each says what to use instead."""

import importlib
import re

import pytest

import firth
from firth import compat
from firth.instead import ELSEWHERE


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_is_elsewhere_says_where(name):
    said = re.escape(f"firth.compat.{name}: {ELSEWHERE[name]}")
    assert not hasattr(compat, name)
    with pytest.raises(AttributeError, match=said):
        getattr(compat, name)
    with pytest.raises(ImportError, match=said):
        exec(f"from firth.compat import {name}")
    with pytest.raises(ImportError, match=said):
        importlib.import_module(f"firth.compat.{name}.anything")
    with pytest.raises(AttributeError, match=re.escape(ELSEWHERE[name])):
        getattr(firth, name)


def test_what_the_messages_name_is_there():
    for text in set(ELSEWHERE.values()):
        for path in re.findall(r"\bfirth((?:\.\w+)+)", text):
            found = firth
            for part in path.split(".")[1:]:
                if part == "sklearn":
                    found = pytest.importorskip("firth.sklearn")
                else:
                    found = getattr(found, part)


@pytest.mark.parametrize("code", [
    "from firth.compat.models import Word2Vec",
    "import firth.compat.models.doc2vec",
    "from firth.compat import models, downloader",
    "from firth.compat.similarities.annoy import AnnoyIndexer",
])
def test_imports_of_gensims_modules_are_answered(code):
    with pytest.raises(ImportError, match="^firth.compat.[a-z]+: .*firth"):
        exec(code)


@pytest.mark.parametrize("code", [
    "from firth.compat import nothing", "import firth.compat.nothing"])
def test_other_names_are_unknown_as_usual(code):
    with pytest.raises(ImportError, match="nothing"):
        exec(code)
    with pytest.raises(AttributeError, match="'firth.compat' has no attribute"):
        compat.nothing
