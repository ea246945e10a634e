"""Questions to models: what Firth answers on the command line and over HTTP."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from firth._firth_c import ffi, lib
from firth._native import buffer_json, check, interruptible
from firth._options import plain_value
from firth.errors import error_of

# The code of include/firth/firth.h.
_INVALID_ARGUMENT = 3
# How a model is added, by the C name of its handle.
_ADD = {
    "struct FirthVectors *": lib.firth_models_add_vectors,
    "struct FirthLanguageModel *": lib.firth_models_add_language_model,
    "struct FirthTagger *": lib.firth_models_add_tagger,
    "struct FirthClassifier *": lib.firth_models_add_classifier,
}


@functools.cache
def questions() -> dict[str, dict[str, Any]]:
    """Describes all questions, by name.

    Each has a summary, a description, slots (the models that it needs), an
    example, and JSON schemas of a request and of an answer.
    """
    out = ffi.new("FirthBuffer **")
    check(lib.firth_describe_questions(out))
    return {question["name"]: question
            for question in buffer_json(out)["questions"]}


def ask(question: str, *models: Any,
        requests: Sequence[Mapping[str, Any]] | None = None,
        **fields: Any) -> Any:
    """Asks models a question and returns the answer as a dict.

    models: as many as the question needs, in the order of its slots; None
    leaves an optional one out. fields: those of a request, as firth.questions()
    lists them; a name that is a keyword of Python ends with "_". requests: a
    list of dicts with fields, instead of `fields`; they are answered together,
    and the result is a list. In it, a request without an answer is a dict with
    "error".

    Raises ValueError for an unknown question or field, a wrong value, and a
    request that has no answer; OSError for a file that cannot be read;
    TypeError for a wrong model.

    >>> firth.ask("common", vectors, words=["king", "woman"], top=1)
    {'query': 'king woman', 'neighbors': [{'word': 'queen', ...}], ...}
    """
    if question not in questions():
        raise ValueError(f"there is no question {question!r}; the questions "
                         f"are {', '.join(questions())}")
    slots = questions()[question]["slots"]
    if len(models) > len(slots):
        raise TypeError(f"{question}: expected {len(slots)} models, found "
                        f"{len(models)}")
    names = {slot["name"]: slot["name"]
             for slot, model in zip(slots, models) if model is not None}
    if requests is not None and fields:
        raise TypeError(f"{next(iter(fields))}: cannot be combined with "
                        "requests; write it in each of them")
    given = [fields] if requests is None else list(requests)
    for one in given:
        if not isinstance(one, Mapping):
            raise TypeError("requests: expected a list of dicts, found "
                            f"{type(one).__name__} in it")
    body = json.dumps({**names, "requests": [_plain(one) for one in given]})
    answers = _answers(question, _opened(dict(zip(names, (
        model for model in models if model is not None)))), body.encode(),
        questions()[question]["quick"] and len(given) == 1)
    if requests is not None:
        return answers
    if list(answers[0]) == ["error"]:
        raise error_of(_INVALID_ARGUMENT, answers[0]["error"])
    return answers[0]


def _answers(question: str, models: Any, body: bytes,
             quick: bool) -> list[dict[str, Any]]:
    out = ffi.new("FirthBuffer **")
    name = question.encode()
    given = models, name, len(name), body, len(body)
    try:
        if quick:
            check(lib.firth_ask(*given, ffi.NULL, ffi.NULL, out))
        else:
            interruptible(lambda watch: lib.firth_ask(
                *given, lib.on_progress, watch.context, out), out=out)
    except (OSError, ValueError) as error:
        message = error.strerror if isinstance(error, OSError) else str(error)
        text = str(message).removeprefix("json: ")
        raise ValueError(text.removeprefix("requests[0].")) from None
    answers: list[dict[str, Any]] = buffer_json(out)["answers"]
    return answers


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removesuffix("_").replace("_", "-"): plain_value(name, value)
            for name, value in fields.items() if value is not None}


def _opened(models: Mapping[str, Any]) -> Any:
    """Returns the FirthModels of some models; that of one model is kept."""
    for model in models.values():
        handle = getattr(model, "_handle", None)
        if not isinstance(handle, ffi.CData) or (
                ffi.typeof(handle).cname not in _ADD):
            raise TypeError("expected vectors, a language model, a tagger or a "
                            f"classifier, found {type(model).__name__}")
    only = next(iter(models.values())) if len(models) == 1 else None
    kept = getattr(only, "_opened", None)
    key = only is not None and (only._handle, *models)
    if kept is not None and kept[0] == key:
        return kept[1]
    out = ffi.new("FirthModels **")
    check(lib.firth_models_create(out))
    opened = ffi.gc(out[0], lib.firth_models_free)
    for name, model in models.items():
        add = _ADD[ffi.typeof(model._handle).cname]
        check(add(opened, name.encode(), len(name), model._handle))
    if only is not None:
        only._opened = key, opened
    return opened
