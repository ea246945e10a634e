"""Options as keywords: the command line's names, with _ instead of -."""

from __future__ import annotations

import difflib
import functools
import json
import math
import os
from collections.abc import Mapping
from typing import Any

from firth._library import ffi, lib
from firth.errors import option_names

# What gensim and fastText call options that have another name here.
_THEIR_NAMES = {
    "alpha": "learning_rate", "bucket": "buckets", "hs": "loss",
    "iter": "epochs", "lr": "learning_rate", "max_final_vocab": "max_vocab",
    "maxn": "max_n", "min_alpha": "min_learning_rate", "minn": "min_n",
    "minCount": "min_count", "neg": "negative", "ns_exponent": "noise_exponent",
    "sg": "arch", "shrink_windows": "dynamic_window", "size": "dim",
    "t": "sample", "thread": "threads", "vector_size": "dim",
    "wordNgrams": "word_ngrams", "workers": "threads", "ws": "window",
}


def version() -> str:
    """Returns the version of the library, such as "0.2.0"."""
    text: bytes = ffi.string(lib.firth_version())
    return text.decode()


__version__ = version()


def build_info() -> dict[str, Any]:
    """Describes this build of the library, for bug reports.

    The dict has version, commit, compiler, architecture, instruction-sets (those
    of this machine, best first) and libraries, with their versions.
    """
    from firth._native import json_of

    described: dict[str, Any] = json_of(lib.firth_describe_build)
    return described


def options(call: str = "train") -> list[dict[str, Any]]:
    """Describes the options of a call.

    call: "load", "save", "query", "sums", "hnsw", "sentence-vectors", "train",
    "phrases", "lm-train", "embed", "perplexity", "generate", "tagger",
    "documents-train", "documents-infer", "labelled-text", "classify-train",
    "classify-load", "classify-probabilities", "classify-predict",
    "classify-quantize" or "classify-tune".

    Returns one dict per option: name (as a keyword), type, default, help, and,
    if they apply, min, max, choices. Raises ValueError for an unknown call.

    >>> {option["name"]: option["default"] for option in firth.options()}["dim"]
    100
    """
    described = _described(call)
    return [{**option, "name": option["name"].replace("-", "_")}
            for option in described]


@functools.cache
def _described(call: str) -> list[dict[str, Any]]:
    from firth._native import json_of

    name = call.encode()
    try:
        described: list[dict[str, Any]] = json_of(
            lib.firth_describe_options, name, len(name))
    except OSError as error:
        raise ValueError(f"call: {error.strerror}") from None
    option_names.update(option["name"] for option in described)
    return described


def encode_options(given: Mapping[str, Any],
                   *calls: str) -> tuple[bytes, int]:
    """Returns options as JSON and its size, without those that are None.

    calls: the calls to which the options may belong. Raises TypeError for a
    keyword that none of them has.
    """
    names = {option["name"] for call in calls for option in _described(call)}
    fields = {}
    for keyword, value in given.items():
        name = known_name(keyword, names) if calls else (
            keyword.replace("_", "-"))
        if value is not None:
            fields[name] = plain_value(keyword, value)
    text = json.dumps(fields).encode()
    return text, len(text)


def known_name(keyword: str, names: set[str]) -> str:
    """Returns the name of a keyword. Raises TypeError if it is not in `names`.

    A name that is a keyword of Python has "_" at its end: from_ is "from".
    """
    name = keyword.removesuffix("_").replace("_", "-")
    if name not in names:
        raise TypeError(_unknown_keyword(keyword, names))
    return name


def _unknown_keyword(keyword: str, names: set[str]) -> str:
    keywords = [name.replace("-", "_") for name in sorted(names)]
    ours = _THEIR_NAMES.get(keyword)
    if ours in keywords:
        return f"there is no option {keyword!r}; in Firth it is {ours!r}"
    closest = difflib.get_close_matches(keyword, keywords, n=1, cutoff=0)
    return f"there is no option {keyword!r}; the closest is {closest[0]!r}"


def plain_value(keyword: str, value: Any) -> Any:
    """Converts a value for JSON: paths to texts, NumPy scalars to numbers."""
    if isinstance(value, (bytes, os.PathLike)):
        return plain_value(keyword, os.fsdecode(value))
    if isinstance(value, (list, tuple)):
        return [plain_value(keyword, item) for item in value]
    if hasattr(value, "tolist"):
        return plain_value(keyword, value.tolist())
    if not isinstance(value, (bool, int, float, str)):
        raise TypeError(f"{keyword}: expected a number, a text or a list of "
                        f"them, found {type(value).__name__}")
    if isinstance(value, str) and not is_utf8(value):
        raise ValueError(f"{keyword}: expected a text, or a path, that is "
                         f"UTF-8, found {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{keyword}: expected a finite number, found {value}")
    return value


def is_utf8(text: str) -> bool:
    """Returns whether the text has no surrogates, such as those in paths."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
