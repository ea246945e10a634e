"""What is imported when, errors, and what the wheel holds."""

import errno
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.errors import error_of, plain

ROOT = Path(__file__).resolve().parents[2]


def python(code):
    return subprocess.run([sys.executable, "-c", code], check=True, text=True,
                          capture_output=True).stdout


def test_importing_loads_neither_numpy_nor_the_library():
    loaded = python("import firth, sys; print(*sys.modules)").split()
    assert "firth" in loaded
    assert not {"numpy", "cffi", "_cffi_backend", "firth.vectors",
                "firth._firth_c"} & set(loaded)


def test_names_are_imported_when_they_are_used():
    assert python("import firth, sys; firth.train; "
                  "print('firth.training' in sys.modules, "
                  "'firth.tagger' in sys.modules)") == "True False\n"
    assert set(firth.__all__) <= set(dir(firth))
    with pytest.raises(AttributeError, match="no attribute 'trian'"):
        firth.trian


def test_the_version_is_that_of_the_library():
    version = re.search(r"^VERSION := (.*)$",
                        (ROOT / "Makefile").read_text(), re.M)[1]
    assert firth.version() == firth.__version__ == version


@pytest.mark.parametrize("code, message, kind", [
    (3, "vec.txt:3: expected 100 values", ValueError),
    (5, "a.vec: cannot open: No such file or directory", FileNotFoundError),
    (5, "a.vec: no such file", FileNotFoundError),
    (7, "a.vec: Permission denied", PermissionError),
    (8, "cannot allocate", MemoryError),
    (9, "model has no probabilities", ValueError),
    (11, "a value is no longer finite", FloatingPointError),
    (12, "a.bin cannot hold n-grams", ValueError),
    (13, "a mistake of ours", RuntimeError),
    (15, "a.vec: cut", firth.CorruptFileError),
    (99, "a code of later", ValueError),
])
def test_statuses_become_exceptions(code, message, kind):
    error = error_of(code, message, "a.vec")
    assert type(error) is kind and message.split(": ")[-1] in str(error)


@pytest.mark.parametrize("message, expected", [
    ('a.bin: bin cannot hold 1 word; "lossy": true leaves them out',
     "a.bin: bin cannot hold 1 word; lossy=True leaves them out"),
    ('"min-n": 3 and "training": false', "min_n=3 and training=False"),
    ('such as "New York": a space', 'such as "New York": a space'),
    ('such as "a\\"lossy\\": true": a space',
     'such as "a\\"lossy\\": true": a space'),
    ("--min-count goes with --vocab", "min_count goes with vocab"),
])
def test_options_are_spelled_as_in_python(message, expected):
    assert str(error_of(12, message)) == expected


def test_a_full_disk_is_an_os_error():
    error = error_of(8, "a.vec: cannot write: No space left on device", "a.vec")
    assert isinstance(error, OSError) and error.errno == errno.ENOSPC
    assert error.filename == "a.vec"
    assert pickle.loads(pickle.dumps(error)).filename == "a.vec"


def test_the_wheel_serves_every_cpython_and_holds_the_library():
    # It lies beside the folder that the package was put into.
    wheels = list(Path(firth.__file__).parents[2].glob("*.whl"))
    assert len(wheels) == 1
    assert wheels[0].name.endswith("-cp311-abi3-linux_x86_64.whl")
    names = set(zipfile.ZipFile(wheels[0]).namelist())
    assert {"firth/_firth_c.abi3.so", "firth/libfirth_c.so.1",
            "firth/py.typed", "firth/__init__.py"} <= names
    assert not any("test" in name for name in names)


def test_the_module_finds_the_library_beside_it():
    module = Path(firth.__file__).parent / "_firth_c.abi3.so"
    shown = subprocess.run(["readelf", "-d", module], check=True, text=True,
                           capture_output=True).stdout
    assert re.search(r"RUNPATH.*\[\$ORIGIN\]", shown)
    assert re.search(r"NEEDED.*\[libfirth_c.so.1\]", shown)


def test_a_copy_of_a_built_checkout_is_built_again(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in ("include", "tools/python"):
        shutil.copytree(ROOT / folder, old / folder)
    for file in ("Makefile", "README.md"):
        shutil.copy(ROOT / file, old)

    def list_sources(root):
        subprocess.run([sys.executable, "setup.py", "-q", "egg_info"],
                       cwd=root / "tools/python", check=True)
        return (root / "build/python/firth.egg-info/SOURCES.txt").read_text()

    list_sources(old)
    shutil.copytree(old, new)
    sources = list_sources(new)
    assert "firth/__init__.py" in sources
    assert str(old) not in sources


@pytest.mark.parametrize("value, shown", [
    (np.str_("a"), "'a'"), (np.int64(3), "3"), (np.float32(0.5), "0.5"),
    ("a", "'a'"), ([1], "[1]"),
])
def test_messages_show_numpys_scalars_as_those_of_python(value, shown):
    assert repr(plain(value)) == shown


def test_an_unknown_word_of_numpy_is_named_like_one_of_python():
    error = firth.UnknownWordError(np.str_("quene"), ["queen"])
    assert str(error) == ("'quene' is not in the vocabulary; "
                          "spelled like it: queen")
