"""CMakeLists.txt compiles the same sources as the Makefile, in the same way."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EMBEDDING = ROOT / "tests" / "examples" / "embedding"

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None,
                                reason="needs cmake")


def run(*command):
    """Runs a command as if no make were around it; returns what it prints."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKELEVEL", "LD_PRELOAD", "WERROR")}
    done = subprocess.run([str(part) for part in command], cwd=ROOT,
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def source_of(path):
    """Returns the path of a source in the repository, or the name of another file."""
    path = ROOT / path
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def effect(arguments):
    """Returns what decides on the code: the optimization, which is the last -O, the
    machine, the language and our own macros."""
    levels = [word for word in arguments if re.fullmatch(r"-O\w", word)]
    rest = {word for word in arguments
            if re.match(r"-march|-std|-fopenmp|-fPIC|-DFIRTH|-DNDEBUG|-DHWY_DIS|-W(?!l)",
                        word)}
    return (levels or [""])[-1], frozenset(rest)


def commands_of(database):
    return {source_of(entry["file"]): effect(shlex.split(entry["command"]))
            for entry in json.loads(database)}


def configured(source, folder, *options):
    run("cmake", "-S", source, "-B", folder, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        "-DCMAKE_CXX_COMPILER=g++", *options)
    return commands_of((folder / "compile_commands.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def of_make():
    dry = run("make", "-Bn", "BATCH=1", "PCH=", "VERBOSE=1", "CXX=g++", "all")
    return commands_of(subprocess.run(
        [ROOT / "mk" / "compile_commands"], input=dry, text=True, check=True,
        capture_output=True, cwd=ROOT).stdout)


def test_cmake_compiles_what_make_compiles(of_make, tmp_path):
    of_cmake = configured(ROOT, tmp_path)
    of_cmake.pop("demo_data.cc")  # is generated, and in make's list a batch
    assert sorted(of_cmake) == sorted(of_make)
    differing = {source: (found, of_make[source])
                 for source, found in of_cmake.items()
                 if found != of_make[source]}
    assert not differing


@pytest.mark.parametrize("fetched", ["OFF", "ON"])
def test_a_project_that_adds_firth_compiles_the_library_alone(of_make, tmp_path,
                                                              fetched):
    of_cmake = configured(EMBEDDING, tmp_path, f"-DFIRTH_FETCHED={fetched}",
                          "-DFIRTH_BATCHES=OFF")
    library = {source for source in of_make
               if source.startswith("src/") and not source.startswith("src/c/")}
    assert {source for source in of_cmake
            if source.startswith(("src/", "tools/"))} == library
    for source in library:
        assert of_cmake[source][0] == of_make[source][0], source


def source_files():
    """Returns the files of the source tree, and the page if make has made it there."""
    return {path for path in ROOT.rglob("*")
            if path.relative_to(ROOT).parts[0] not in (".git", "build")
            or path.match("build/web/page*")}


def test_batches_are_those_of_make_and_nothing_is_made_in_the_source_tree(tmp_path):
    before = source_files()
    configured(ROOT, tmp_path, "-DFIRTH_BATCHES=ON")
    run("cmake", "--build", tmp_path, "--target", "firth_made")
    assert (tmp_path / "made" / "page.o").stat().st_size > 10_000
    assert source_files() == before

    shown = run("make", "-s", "show", "SHOW=BATCHES").partition("=")[2].split()
    of_make = {frozenset(word.split("=")[1:]) for word in shown}
    of_cmake = {frozenset(source_of(file) for file in
                          re.findall(r'#include "(.*)"', unity.read_text("utf-8")))
                for unity in tmp_path.rglob("unity_*.cxx")}
    assert of_cmake == {batch for batch in of_make
                        if all(file.startswith(("src/", "tools/")) for file in batch)}
