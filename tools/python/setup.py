"""Builds the wheel: the package, its module, and libfirth_c.so.1 beside it."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import find_packages, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from native_builder import (  # noqa: E402
    CARRIED, DESCRIBING, LIBRARY, PLATFORM, ROOT)
from question_builder import write  # noqa: E402

OUTPUT = ROOT / "build" / "python"
OUTPUT.mkdir(parents=True, exist_ok=True)
# Modules that no longer exist would stay in the wheel, and the list of sources has the
# absolute paths of the folder in which an earlier build ran.
for leftover in ("build", "firth.egg-info"):
    shutil.rmtree(OUTPUT / leftover, ignore_errors=True)


NEEDED = """
{}
Building Firth needs make, a C++20 compiler and libraries. "make deps-build" in the
source distribution installs them on Debian 12 and 13, and names them elsewhere. The
wheels of a release need nothing of this.
"""


def version() -> str:
    """The Makefile has the version of everything."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    found = re.search(r"^VERSION := (\S+)$", makefile, re.MULTILINE)
    assert found, "Makefile: expected a line \"VERSION := NUMBER\""
    return found[1]


def readme() -> str:
    """The README without its links to other files, which lead nowhere elsewhere."""
    text = (ROOT / "README.md").read_text("utf-8")
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*", "", text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


class BuildWithLibrary(build_ext):
    """Brings libfirth_c.so.1 up to date, and takes it along.

    make knows whether there is anything to do, and names a library that it has
    built itself by FIRTH_BUILD.
    """

    def run(self) -> None:
        if "FIRTH_BUILD" not in os.environ:
            try:
                subprocess.run(["make", f"-j{os.cpu_count()}", "-C", str(ROOT),
                                os.path.relpath(LIBRARY, ROOT)], check=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise SystemExit(NEEDED.format(error)) from None
        super().run()
        package = pathlib.Path(self.build_lib, "firth")
        shutil.copy(write(DESCRIBING), package)
        shutil.copy(ROOT / "LICENSE", package)
        if PLATFORM:  # `make dist` has stripped what it links.
            for library in [LIBRARY, *CARRIED]:
                shutil.copy(library, package)
            shutil.copytree(os.environ["FIRTH_NOTICES"], package / "third-party",
                            dirs_exist_ok=True)
            return
        # Debug information is nine tenths of the library.
        subprocess.run(["strip", "--strip-unneeded", "-o",
                        str(package / LIBRARY.name), str(LIBRARY)], check=True)


setup(
    version=version(),
    long_description=readme(),
    long_description_content_type="text/markdown",
    packages=find_packages(str(HERE), include=["firth*"]),
    package_data={"firth": ["py.typed", "*.pyi"]},
    cffi_modules=["native_builder.py:make_ffi"],
    cmdclass={"build_ext": BuildWithLibrary},
    options={
        "build": {"build_base": str(OUTPUT / "build")},
        "egg_info": {"egg_base": str(OUTPUT)},
        "bdist_wheel": {"py_limited_api": "cp311",
                        **({"plat_name": PLATFORM} if PLATFORM else {})},
    },
)
