"""What the package may rest on: any CPython from 3.11, NumPy 1 and 2.

Debian has one version of each, so these tests look at what is used: the symbols
that the module takes from CPython, and the names that the sources take from
NumPy. A part of the package is run under NumPy 2's rules for the types of sums
and products, which NumPy 1.24 has as an experiment.
"""

import ast
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import numpy.typing  # noqa: F401
import pytest

import firth

PACKAGE = Path(firth.__file__).parent
SOURCES = Path(__file__).resolve().parents[2] / "tools" / "python" / "firth"

# Names of the main namespace that NumPy 2.0 to 2.4 have no more (release notes
# of these versions). Where one has a successor that NumPy 1 knows as well, a
# source has no reason to name it.
GONE = set("""
    Inf Infinity NINF NZERO NaN PINF PZERO add_docstring add_newdoc
    add_newdoc_ufunc alltrue asfarray asscalar bool8 byte_bounds cast cfloat
    clongfloat compare_chararrays compat complex_ core cumproduct deprecate
    deprecate_with_doc disp fastCopyAndTranspose find_common_type float_
    format_parser geterrobj get_array_wrap in1d infty int0 issctype issubclass_
    issubsctype lib.emath longcomplex longfloat lookfor mat maximum_sctype msort
    nbytes obj2sctype object0 product recfromcsv recfromtxt round_ row_stack
    safe_eval sctype2char sctypes set_numeric_ops set_string_function seterrobj
    singlecomplex sometrue source str0 string_ tracemalloc_domain trapz uint0
    unicode_ void0 who""".split())
# Of arrays and scalars.
GONE_OF_ARRAYS = {"itemset", "newbyteorder", "ptp", "tostring"}
# Behind numpy.core and numpy.lib NumPy 2 has other modules.
GONE_MODULES = re.compile(r"numpy\.(core|compat|array_api|distutils)\b")


def names_of_numpy(source):
    """The dotted names that a source takes from NumPy, as "linalg.norm"."""
    tree = ast.parse(source)
    aliases = {}
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name.split(".")[0] == "numpy":
                    aliases[one.asname or "numpy"] = (
                        one.name if one.asname else "numpy")
                    names.append(one.name.partition(".")[2])
        elif isinstance(node, ast.ImportFrom) and (
                node.module or "").split(".")[0] == "numpy":
            inner = node.module.partition(".")[2]
            names += [f"{inner}.{one.name}".strip(".") for one in node.names]
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in aliases:
            module = aliases[node.id].partition(".")[2]
            names.append(".".join([*filter(None, [module]), *parts[::-1]]))
    return {name for name in names if name}


def gone_from(source):
    """What of a source NumPy 2 does not have."""
    names = names_of_numpy(source)
    found = {name for name in names
             if {name, name.split(".")[0]} & GONE
             or GONE_MODULES.match("numpy." + name)}
    attributes = {node.attr for node in ast.walk(ast.parse(source))
                  if isinstance(node, ast.Attribute)}
    # There it means "never", and is an error where a copy must be made.
    never = {"array(copy=False)" for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.Call)
             and isinstance(node.func, ast.Attribute)
             and node.func.attr == "array"
             and "copy=False" in map(ast.unparse, node.keywords)}
    return found | (attributes & GONE_OF_ARRAYS) | never


@pytest.mark.parametrize("source, found", [
    ("import numpy as np\nnp.float_(1)", {"float_"}),
    ("import numpy\nnumpy.in1d(a, b)", {"in1d"}),
    ("import numpy.core as c", {"core"}),
    ("import numpy as np\nnp.core.multiarray.x", {"core.multiarray.x", "core",
                                                  "core.multiarray"}),
    ("from numpy import trapz", {"trapz"}),
    ("from numpy.core import numeric", {"core.numeric"}),
    ("import numpy as np\nnp.array(a, copy=False)", {"array(copy=False)"}),
    ("import numpy as np\na.astype(b, copy=False)", set()),
    ("a.ptp()", {"ptp"}),
    ("import numpy as np\nnp.isin(a, b); np.linalg.norm(a)", set()),
    ("import other as np\nnp.float_(1)", set()),
])
def test_what_is_gone_is_found(source, found):
    assert gone_from(source) == found


def sources():
    paths = sorted(SOURCES.rglob("*.py"))
    assert len(paths) > 20
    return paths


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.stem)
def test_numpy_2_has_all_names_that_are_used(path):
    assert gone_from(path.read_text("utf-8")) == set()


def test_numpy_has_all_names_that_are_used():
    """No name is told from a list alone: this NumPy knows each."""
    names = set().union(*(names_of_numpy(path.read_text("utf-8"))
                          for path in sources()))
    assert len(names) > 30
    for name in names:
        value = np
        for part in name.split("."):
            value = getattr(value, part)


# Numbers of both kinds meet in each of these: a float32 with Python's own, with
# float64 of NumPy, with whole numbers.
PROMOTED = """
import numpy as np
import firth
from firth.compat import KeyedVectors
vectors = firth.load({path!r})
wv = KeyedVectors.of(vectors)
print(np.result_type(np.float32(3), 3.0e300),
      [np.asarray(made).dtype.name for made in (
    vectors.similarities("king"), vectors.similarities("king", ["queen"]),
    vectors.similarities(np.float32([1, 0, 0, 0])),
    vectors.neighbors(["king"])[1], vectors.sentence_vectors(["king the"]),
    wv.get_normed_vectors(), wv.get_mean_vector(["king", "queen"]),
    wv.get_vector("king", norm=True), wv.distances("king"), wv.norms)],
    round(wv.similarity("king", "queen"), 6),
    [round(score, 6) for _, score in wv.most_similar("king", topn=2)])
"""


@pytest.mark.skipif(not np.__version__.startswith("1.2"),
                    reason="only NumPy 1.24 to 1.26 have both rules")
def test_the_rules_of_numpy_2_change_no_type(vectors_path):
    told = {}
    for rules in ("legacy", "weak"):
        told[rules] = subprocess.run(
            [sys.executable, "-c", PROMOTED.format(path=str(vectors_path))],
            env={**os.environ, "NPY_PROMOTION_STATE": rules}, text=True,
            check=True, capture_output=True).stdout
    first, second = (told[rules].split(maxsplit=1)
                     for rules in ("legacy", "weak"))
    assert (first[0], second[0]) == ("float64", "float32")
    assert first[1] == second[1]
    assert "float64" not in first[1]


# --- CPython. ---


def stable_names():
    """The names that Python's headers declare of the interface of 3.11."""
    headers = sysconfig.get_paths()["include"]
    if not Path(headers, "Python.h").exists():
        pytest.skip("Python's headers are not installed (python3-dev)")
    declared = subprocess.run(
        ["cc", "-E", "-P", "-DPy_LIMITED_API=0x030b0000", f"-I{headers}", "-"],
        input="#include <Python.h>\n", text=True, check=True,
        capture_output=True).stdout
    return set(re.findall(r"\b_?Py[A-Za-z0-9_]+", declared))


def taken_names(path):
    """The names of CPython and NumPy that a shared library asks for."""
    shown = subprocess.run(["nm", "-D", "--undefined-only", path], text=True,
                           check=True, capture_output=True).stdout
    return set(re.findall(r" (_?Py\w+|npy\w+|NPY\w+)", shown))


def test_the_module_takes_of_cpython_what_is_stable():
    stable = stable_names()
    # In no stable interface, and not before that of 3.13.
    assert not {"PyUnicode_AsUTF8", "PyFloat_AS_DOUBLE",
                "PyList_GetItemRef"} & stable
    taken = taken_names(PACKAGE / "_firth_c.abi3.so")
    assert len(taken) > 5
    assert taken - stable == set()


def test_the_library_takes_nothing_of_cpython():
    assert taken_names(PACKAGE / "libfirth_c.so.1") == set()


def test_the_package_asks_for_no_numpy_before_it_is_used():
    shown = subprocess.run(
        ["readelf", "-d", PACKAGE / "_firth_c.abi3.so"], text=True, check=True,
        capture_output=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", shown)
    assert needed == ["libfirth_c.so.1", "libc.so.6"]
    assert "multiarray" not in (
        PACKAGE / "_firth_c.abi3.so").read_bytes().decode("latin-1")
