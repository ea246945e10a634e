"""The commands in README.md and docs/guides are run, and print what is shown.

A page is run from top to bottom in an empty folder, with firth on the PATH and
with datasets/ of the repository beside it:

- ```console: each line after "$ " is a command (with continuation lines after a
  backslash). What it prints, on both streams, must be what follows it. A line of
  "..." stands for any lines.
- ```bash and indented blocks: run as a script; the output does not matter.
- ```python: run in one interpreter per page.
- <!-- output varies --> before a block: the output is not compared, because it
  depends on the machine.
- <!-- run by FILE --> before a block: not run here; FILE of the repository runs it.

Other blocks (```text, ```json, ...) are not run. Every command must succeed.
"""

import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
RUN = {"console", "bash", "python"}
NOT_RUN = {"text", "json", "tsv", "c", "cpp", "html", "nginx", "dockerfile",
           "ini", "yaml"}


@dataclass
class Block:
    line: int
    language: str
    text: str
    mark: str  # the comment before it


def blocks_of(page):
    """Returns the code blocks of the page."""
    found, mark, lines = [], "", page.read_text("utf-8").split("\n")
    i = 0
    while i < len(lines):
        fence = re.match(r"( *)```(\S*)", lines[i])
        if fence:
            end = i + 1
            while not lines[end].strip().startswith("```"):
                end += 1
            body = [line.removeprefix(fence[1]) for line in lines[i + 1:end]]
            found.append(Block(i + 1, fence[2] or "text", "\n".join(body), mark))
            i, mark = end, ""
        elif lines[i].startswith("    ") and (i == 0 or not lines[i - 1].strip()
                                              or lines[i - 1].startswith("<!--")):
            end = i
            while end < len(lines) and (lines[end].startswith("    ")
                                        or not lines[end].strip()):
                end += 1
            found.append(Block(i + 1, "bash", "\n".join(
                line[4:] for line in lines[i:end]), mark))
            i, mark = end - 1, ""
        elif comment := re.fullmatch(r"<!-- (.*) -->", lines[i].strip()):
            mark = comment[1]
        elif lines[i].strip():
            mark = ""
        i += 1
    return found


def commands_of(text):
    """Returns the commands of a console block with the lines that follow each."""
    found = []
    for line in text.split("\n"):
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1][0] += "\n" + line
        else:
            found[-1][1].append(line.rstrip())
    return found


def matches(expected, printed):
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n"
        for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed))


def run_shell(script, folder, environment):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder,
                          env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, check=False)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, f"{script}\nended with {done.returncode}:\n{text}"
    return [line.rstrip() for line in text.rstrip().split("\n")] if text.strip() else []


def run_block(block, folder, environment, names):
    if block.language == "python":
        exec(compile("\n" * block.line + block.text, "page", "exec"), names)
    elif block.language == "bash":
        run_shell(block.text, folder, environment)
    else:
        for command, expected in commands_of(block.text):
            printed = run_shell(command, folder, environment)
            while expected and not expected[-1]:
                expected.pop()
            if block.mark != "output varies":
                assert matches(expected, printed), (
                    f"$ {command}\nshould print\n" + "\n".join(expected)
                    + "\nand printed\n" + "\n".join(printed))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_of_a_page_does_what_it_shows(page, tmp_path, monkeypatch,
                                                    program):
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    bin_folder = tmp_path / ".bin"
    bin_folder.mkdir()
    (bin_folder / "firth").symlink_to(pathlib.Path(program).resolve())
    environment = {**os.environ, "LC_ALL": "C.UTF-8",
                   "PATH": f"{bin_folder}:{os.environ['PATH']}"}
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_of(page):
        place = f"{page.relative_to(ROOT)}:{block.line}"
        if block.mark.startswith("run by "):
            assert (ROOT / block.mark.removeprefix("run by ")).exists(), place
            continue
        assert block.mark in ("", "output varies"), f"{place}: {block.mark}"
        assert block.language in RUN | NOT_RUN, f"{place}: {block.language}"
        if block.language in RUN:
            try:
                run_block(block, tmp_path, environment, names)
            except Exception as error:
                raise AssertionError(f"{place}: {error}") from error


def test_what_is_shown_is_compared():
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert matches(["...", "d"], ["d"])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "...", "d"], ["a", "b"])


def test_blocks_are_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A\n\n    indented\n\n<!-- output varies -->\n```console\n"
                    "$ a \\\n  b\nc\n```\n\nText.\n\n```\nno language\n```\n")
    found = blocks_of(page)
    assert [(b.line, b.language, b.mark) for b in found] == [
        (3, "bash", ""), (6, "console", "output varies"), (14, "text", "")]
    assert commands_of(found[1].text) == [["a \\\n  b", ["c"]]]
