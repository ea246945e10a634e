#!/usr/bin/env python3
"""Collects the messages of the sources and checks how they are written.

    tests/support/messages.py [ROOT]           prints what breaks a rule
    tests/support/messages.py --list [ROOT]    prints every message

A message of C++ is a statement's string literals joined in their order, with
"..." for each value that code puts between them. Texts of --help, of options
and of the OpenAPI description are not messages. A message of Python is a
string of several words that is no docstring.
"""
import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Message(NamedTuple):
    """A message, the pieces it is made of, and the place in its source."""

    place: str
    text: str
    pieces: list[str]


_TOKEN = re.compile(
    r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)+'|//[^\n]*|/\*.*?\*/"
    r"|(?P<end>;|[{}](?=[ \t]*(?://[^\n]*)?\n))"
    r"|[^\"'/;{}R]+|.",
    re.DOTALL)

# Statements that declare options, commands and requests: help, no messages.
_HELP = re.compile(
    r"(?:\.|->)\s*(?:Add|Choice|Default|Details|Section|Variant|Written)\b"
    r"|\b(?:summary|synopsis)\(\) const|&fields\b"
    r"|(?:options|fields|flags|columns)\s*(?:->|\.)"
    r"|\.(?:help|details|summary)\b"
    r"|\b(?:Optional|\w*Schema|AddHead)\(|\.Declare\(|-> ?(?:Text|Path|Switch)"
    r"|DeclareFormat\(|#error|#include|static_assert|kStart|kPolicyStart")

_HELP_FILES = frozenset({"documents.cc", "presets.cc"})

# Functions of commands that return help.
_HELP_FUNCTION = re.compile(
    r"\b(?:summary|synopsis|description)\(\) const[^{]*$|DeclareUnder\b")

_RULES = {
    "a human verb or a private word": re.compile(
        r"\b(?:told|tells?|says|knows|wants|learnt|stands?|besides?|behind"
        r"|goes on|go on|going on|as far as|so many|does not go with"
        r"|goes with)\b", re.IGNORECASE),
    "British spelling": re.compile(
        r"\b(?:neighbour|colour|labelled(?!-text)|normalis|recognis|centre)",
        re.IGNORECASE),
    '"X a Y" for a rate': re.compile(
        r"\b(?:a \w+|one|bits|bytes|lines|nats|pixels|texts|tokens|values"
        r"|vectors|words) an? (?:example|folder|label|line|object|pair|question"
        r"|row|second|sentence|side|text|token|value|vector|word)\b"),
    '"0: all" instead of "0 means all"': re.compile(r"\b[01]: [a-z]"),
    '"divided by" instead of "separated by"': re.compile(
        r"divided by (?:a |commas|tabs|spaces)"),
    '"else" at the start of a clause': re.compile(r"[,;:] else\b"),
    "a choice without a remedy": re.compile(
        r"expected (?:one of them|either|neither|no )|not both"),
    "a found thing without a name": re.compile(
        r"found (?:another|others|one) (?:that|which|of them)\b"
        r"|, found (?:another|others)$"),
}

_FRAGMENT = re.compile(r"^(?:Of|That|What|Who|Where|Those)\b(?! is\b)")

_JSON = re.compile(r'"[a-z-]+": (?:true|false|null|\d|")'
                   r"|\b(?:found|be|is|or|expected) (?:true|false|null)\b")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_DASHED = re.compile(r"\b(?:min|max)-(?:n|count|vocab)\b|\blearning-rate\b"
                     r"|\bword-ngrams\b")
_COMMAND = re.compile(r'"firth [^"]*"')


def _statements(text: str) -> Iterator[tuple[int, list[tuple[str, bool]]]]:
    """Statements with their lines: tokens, and whether each is a literal.

    A brace ends a statement at the end of a line; others are initializers.
    """
    line, start = 1, 1
    tokens: list[tuple[str, bool]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if match["end"]:
            yield start, [*tokens, (token, False)]
            tokens = []
        elif token.startswith(('"', 'R"')):
            tokens.append((token, True))
        elif not token.startswith(("//", "/*")) and token.strip():
            if not tokens:
                start = line + token[:len(token)
                                     - len(token.lstrip())].count("\n")
            tokens.append((token, False))
        line += token.count("\n")


def _unquoted(literal: str) -> str:
    if literal.startswith("R"):
        return ""
    return literal[1:-1].replace('\\"', '"').replace("\\n", "\n")


def _cpp_messages(path: Path, root: Path) -> Iterator[Message]:
    before = ""  # the statement that the present one is within
    for line, tokens in _statements(path.read_text("utf-8")):
        code = "".join(token for token, literal in tokens if not literal)
        is_help = _HELP.search(code) or _HELP_FUNCTION.search(before)
        if code.rstrip().endswith("{"):
            before = code[:-1]
        elif code.strip() == "}":
            before = ""
        pieces: list[str] = []
        text = ""
        after_literal = False
        for token, literal in tokens:
            if not literal:
                after_literal = after_literal and not token.strip()
                is_value = re.search(r"\w", token)
                if is_value and text and not text.endswith("..."):
                    text += "..."
                continue
            piece = _unquoted(token)
            if after_literal:
                pieces[-1] += piece
            else:
                pieces.append(piece)
            text += piece
            after_literal = True
        if not is_help and len(re.findall(r"[A-Za-z]{2,}", text)) >= 3:
            yield Message(f"{path.relative_to(root)}:{line}", text, pieces)


def _python_messages(path: Path, root: Path) -> Iterator[Message]:
    tree = ast.parse(path.read_text("utf-8"))
    inner = {id(part) for node in ast.walk(tree)
             if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= {id(node.value) for node in ast.walk(tree)
              if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) in inner:
            continue
        pieces = []
        if isinstance(node, ast.JoinedStr):
            pieces = [str(part.value) if isinstance(part, ast.Constant)
                      else "..." for part in node.values]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            pieces = [node.value]
        text = "".join(pieces)
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= 3 and "(?" not in text:
            yield Message(f"{path.relative_to(root)}:{node.lineno}", text,
                          pieces[:1])


def messages(root: Path) -> Iterator[Message]:
    """All messages of the sources below `root`."""
    for folder in ("src", "tools"):
        for path in sorted((root / folder).rglob("*.cc")):
            if path.name not in _HELP_FILES:
                yield from _cpp_messages(path, root)
    for path in sorted((root / "tools/python").rglob("*.py")):
        yield from _python_messages(path, root)


def faults(message: Message) -> list[str]:
    """The rules that a message breaks."""
    broken = [name for name, rule in _RULES.items()
              if rule.search(message.text)]
    if any(_FRAGMENT.match(piece) for piece in message.pieces):
        broken.append("a fragment without a subject")
    if re.match(r".*\.py:", message.place):
        text = _COMMAND.sub("", message.text)
        if _JSON.search(text):
            broken.append("a value as JSON spells it")
        if _OPTION.search(text) or _DASHED.search(text):
            broken.append("an option as the command line spells it")
    return broken


def main() -> int:
    """Prints the messages, or those that break a rule."""
    arguments = sys.argv[1:]
    lists = "--list" in arguments
    roots = [argument for argument in arguments if argument != "--list"]
    root = Path(roots[0]) if roots else Path(__file__).parents[2]
    number = 0
    for message in messages(root):
        broken = faults(message)
        if lists or broken:
            print(f"{message.place}: {message.text!r}"
                  + "".join(f"\n    {name}" for name in broken))
        number += bool(broken)
    return 0 if lists or number == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
