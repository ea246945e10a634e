"""The examples in docstrings and in docs/python.md are run."""

import doctest
import importlib
import pkgutil

import pytest

import firth

MODULES = ["firth"] + [
    "firth." + module.name for module in pkgutil.iter_modules(firth.__path__)
    if module.name != "_firth_c"]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_say_what_happens(name, vectors, vectors_path,
                                                 language_model):
    found = doctest.testmod(
        importlib.import_module(name),
        extraglobs={"firth": firth, "vectors": vectors,
                    "vectors_path": vectors_path,
                    "language_model": language_model},
        optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_what_the_package_offers_is_explained():
    for name in firth.__all__:
        offered = getattr(firth, name)
        assert offered.__doc__, name
        for method, value in vars(offered).items() if isinstance(
                offered, type) else ():
            if not method.startswith("_") and callable(value):
                assert value.__doc__, f"{name}.{method}"
