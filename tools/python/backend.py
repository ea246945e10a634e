"""Builds the wheel with the setuptools and cffi that Debian has.

pip builds in an environment without the system's packages and would fetch
setuptools and cffi anew. This backend (PEP 517) looks behind that: where the
system has both, it takes them from there, and nothing is downloaded.
"""

import importlib.util
import os
import pathlib
import site
import sys

# A source distribution is built from its top, which has no setup.py.
os.chdir(pathlib.Path(__file__).resolve().parent)

_NEEDED = ("setuptools", "wheel", "cffi")


def _missing() -> list[str]:
    return [name for name in _NEEDED if importlib.util.find_spec(name) is None]


# What pip has put into the path goes first.
if _missing():
    sys.path += site.getsitepackages([sys.base_prefix])
MISSING = _missing()

if not MISSING:
    # setuptools brings distutils; sys.modules must not hold another one.
    import setuptools  # noqa: F401
    from setuptools.build_meta import *  # noqa: F403


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    """Names what the system lacks: nothing where Debian's packages are."""
    return MISSING
