"""Asks models the same questions as the command line and the service."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from firth._library import ffi, lib
from firth._native import (
    buffer_json, check, created, interruptible, json_of)
from firth._options import known_name, plain_value
from firth.errors import error_of

# FIRTH_INVALID_ARGUMENT of include/firth/firth.h.
_INVALID_ARGUMENT = 3
# Kinds of models and the functions that add them, by the C name of the handle.
_KINDS = {
    "struct FirthVectors *": ("vectors", lib.firth_models_add_vectors),
    "struct FirthLanguageModel *": (
        "language model", lib.firth_models_add_language_model),
    "struct FirthTagger *": ("tagger", lib.firth_models_add_tagger),
    "struct FirthClassifier *": (
        "classifier", lib.firth_models_add_classifier),
    "struct FirthSeq2Seq *": (
        "sequence-to-sequence model", lib.firth_models_add_seq2seq),
}

_PLACE = re.compile(r"requests\[0\](?:\.|: )(\S*)")


@functools.cache
def questions() -> dict[str, dict[str, Any]]:
    """Returns descriptions of all questions, by name.

    Each has a summary, a description, slots (the models that it needs), an
    example, and JSON schemas of a request and of an answer.

    >>> firth.questions()["similarity"]["example"]
    {'word': 'king', 'other': 'queen'}
    """
    described = json_of(lib.firth_describe_questions)
    return {question["name"]: question for question in described["questions"]}


def ask(question: str, *models: Any,
        requests: Sequence[Mapping[str, Any]] | None = None,
        **fields: Any) -> Any:
    """Asks models a question and returns the answer as a dict.

    models: the models that the question needs, in the order of its slots. None
    omits an optional model.
    fields: the fields of a request, as listed by firth.questions(), with "_"
    instead of "-". A name that is a Python keyword ends with "_". None selects
    the default of a field.
    requests: a list of dicts with fields, instead of `fields`. They are
    answered together, and the result is a list. The item of a request without
    an answer is a dict with "error".

    Raises ValueError for an unknown question, a wrong value, and a request that
    has no answer; TypeError for an unknown field and for models of the wrong
    number or kind; OSError for a file that cannot be read.

    >>> firth.ask("odd", vectors, words=["king", "queen", "table"])["odd"]
    'table'
    >>> firth.ask("similarity", vectors, requests=[
    ...     {"word": "king", "other": "queen"}, {"word": "king", "other": "kin"}])
    [{..., 'similarity': 0.8, ...}, {..., 'similarity': None, ...}]
    """
    if question not in questions():
        raise ValueError(f"there is no question {question!r}; the questions "
                         f"are {', '.join(questions())}")
    given = _given_models(question, models)
    if requests is not None and fields:
        raise TypeError(f"{next(iter(fields))}: fields cannot be given both "
                        "in requests and as keywords; use one of them")
    asked: list[Mapping[str, Any]] = (
        [fields] if requests is None else list(requests))
    for request in asked:
        if not isinstance(request, Mapping):
            raise TypeError("requests: expected a list of dicts, found "
                            f"{type(request).__name__} among its items")
    # A call that Ctrl-C can interrupt takes 0.1 ms longer.
    is_quick = questions()[question]["quick"] and len(asked) == 1
    try:
        answers = answers_to(
            question, given,
            [plain_request(question, request) for request in asked], is_quick)
    except ValueError as error:
        text = str(error).removeprefix("json: ")
        raise ValueError(
            _as_keyword(text) if requests is None else text) from None
    if requests is not None:
        return answers
    if list(answers[0]) == ["error"]:
        raise error_of(_INVALID_ARGUMENT, answers[0]["error"])
    return answers[0]


def ask_typed(question: str, *models: Any, **fields: Any) -> Any:
    """Asks with all fields of a question, but omits those with their default.

    A field that is passed may require another field, even with its default.
    """
    known = questions()[question]["request"]["properties"]
    return ask(question, *models, requests=None, **{
        name: value
        for name, value in plain_request(question, fields).items()
        if "default" not in known[name] or value != known[name]["default"]})


def plain_request(question: str,
                  fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a request for JSON, without those that are None.

    Raises TypeError for a field that the question does not have.
    """
    names = set(questions()[question]["request"]["properties"])
    return {known_name(name, names): plain_value(name, value)
            for name, value in fields.items() if value is not None}


def opened(models: Mapping[str, Any]) -> Any:
    """Returns a FirthModels that contains the models under these names."""
    made = created("FirthModels", lib.firth_models_create)
    for name, model in models.items():
        _, add = _KINDS[_kind_of_handle(model)]
        check(add(made, name.encode(), len(name), model._handle))
    return made


def _given_models(question: str, models: Sequence[Any]) -> dict[str, Any]:
    """Returns the models by slot.

    Raises TypeError if their number or a kind is wrong.
    """
    slots = questions()[question]["slots"]
    least = sum(slot["required"] for slot in slots)
    if not least <= len(models) <= len(slots):
        names = [slot["name"] + ("" if slot["required"] else " (optional)")
                 for slot in slots]
        raise TypeError(f"{question}: expected {', '.join(names)}, "
                        f"found {len(models)} models")
    given = {}
    for slot, model in zip(slots, models):
        if model is None and not slot["required"]:
            continue
        kind, _ = _KINDS.get(_kind_of_handle(model), (None, None))
        if kind != slot["kind"]:
            raise TypeError(f"{slot['name']}: expected a model of the kind "
                            f"\"{slot['kind']}\", found "
                            + type(model).__name__)
        given[slot["name"]] = model
    return given


def _kind_of_handle(model: Any) -> str:
    """Returns the C name of a model's handle, or "" for other objects."""
    if hasattr(model, "_fitted"):
        return str(ffi.typeof(model._fitted()).cname)
    handle = getattr(model, "_handle", None)
    return str(ffi.typeof(handle).cname) if isinstance(
        handle, ffi.CData) else ""


def _as_keyword(message: str) -> str:
    """Returns a message about the field of the only request.

    "requests[0].min-dist: expected ..." becomes "min_dist: expected ...".
    """
    place = _PLACE.match(message)
    if place is None:
        return message
    return place[1].replace("-", "_") + message[place.end():]


def answers_to(question: str, models: Mapping[str, Any],
               requests: Sequence[Mapping[str, Any]],
               is_quick: bool) -> list[dict[str, Any]]:
    """Returns the answers to requests whose values JSON can represent.

    models: by slot. is_quick: make a call that Ctrl-C cannot interrupt.
    """
    body = json.dumps({**{name: name for name in models},
                       "requests": requests}).encode()
    name = question.encode()
    given = lib.firth_ask, opened(models), name, len(name), body, len(body)
    answers: list[dict[str, Any]] = buffer_json(
        created("FirthBuffer", *given, ffi.NULL, ffi.NULL) if is_quick
        else interruptible(*given, creates="FirthBuffer"))["answers"]
    return answers
