"""Recipes of other channels: what tools/package/fill_in writes of them."""

import base64
import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def fill_in(archive, folder):
    return subprocess.run([ROOT / "tools/package/fill_in", "someone", archive, folder],
                          capture_output=True, text=True)


@pytest.fixture
def recipes(tmp_path):
    """The recipes of a release, by name, and its archive."""
    archive = tmp_path / "firth-1.2.3.tar.gz"
    archive.write_bytes(b"not really an archive")
    done = fill_in(archive, tmp_path / "recipes")
    assert done.returncode == 0, done.stderr
    return archive, {path.name: path.read_text("utf-8")
                     for path in (tmp_path / "recipes").glob("*/*")}


def test_each_recipe_has_the_owner_the_version_and_the_checksum(recipes):
    archive, files = recipes
    content = archive.read_bytes()
    sha256 = hashlib.sha256(content)
    expected = {
        "recipe.yaml": sha256.hexdigest(),
        "firth.rb": sha256.hexdigest(),
        "portfile.cmake": hashlib.sha512(content).hexdigest(),
        "package.nix": "sha256-" + base64.b64encode(sha256.digest()).decode(),
    }
    for name, checksum in expected.items():
        assert files[name].count(checksum) == 1, name
        assert "someone" in files[name], name
    for name in ("recipe.yaml", "firth.rb", "package.nix"):
        assert "1.2.3" in files[name], name
    assert json.loads(files["vcpkg.json"])["version"] == "1.2.3"


def test_an_archive_of_another_name_is_refused(tmp_path):
    archive = tmp_path / "firth.tar.gz"
    archive.write_bytes(b"")
    done = fill_in(archive, tmp_path / "recipes")
    assert done.returncode == 2
    assert "expected the name firth-VERSION.tar.gz" in done.stderr
    assert not (tmp_path / "recipes").exists()


def test_every_recipe_names_the_libraries_of_the_build(recipes):
    """The names are Homebrew's, from mk/packages.tsv; most channels share them."""
    _, files = recipes
    rows = [line.split("\t") for line in
            (ROOT / "mk/packages.tsv").read_text("utf-8").splitlines()[1:]]
    # Compilers, and what only the tests are linked with.
    others = {"g++", "make", "libgtest-dev", "libgmock-dev", "libhdf5-dev", "zlib1g-dev"}
    names = {row[4] for row in rows
             if not row[0].startswith("python") and row[0] not in others
             and row[0] != "mypy" and row[4] != "-"}
    assert {"abseil", "boost", "openblas", "zstd"} < names
    formula = set(re.findall(r'depends_on "([^"@]*)', files["firth.rb"]))
    assert formula == names
    # vcpkg builds the libraries alone.
    port = json.dumps(json.loads(files["vcpkg.json"])["dependencies"])
    for name in names - {"esbuild", "libedit", "libmicrohttpd", "pkgconf"}:
        assert name.removesuffix("4c") in port, name
    short = {"abseil": "abseil", "highway": "libhwy", "icu4c": "icu",
             "nlohmann-json": "nlohmann_json", "pkgconf": "pkg-config"}
    for name in names:
        assert short.get(name, name) in files["recipe.yaml"], name
        assert short.get(name, name) in files["package.nix"], name
