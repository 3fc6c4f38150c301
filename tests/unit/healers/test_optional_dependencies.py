"""What a library's message asks to be installed, in the libraries' own words."""

from __future__ import annotations

import pytest

from jupyter_selfheal.healers.rules.context.requirements import list_requirements
from jupyter_selfheal.model import Install
from jupyter_selfheal.testing.rule_conformance import Bench

WORDED = [
    ("Missing optional dependency 'tables'.  Use pip or conda to install tables.", "tables"),
    ("`Import pyarrow` failed.  Use pip, conda, or your preferred package management tool to install it.", "pyarrow"),
    ("html5lib not found, please install it", "html5lib"),
    ("Install xlrd >= 1.0.0 for Excel support", "xlrd"),
    ("'numexpr' is not installed or an unsupported version.", "numexpr"),
    (
        'Please conda or pip install as follows:\n\n  python -m pip install "dask[dataframe]" --upgrade',
        "dask[dataframe]",
    ),
    ("You must install pydot (`pip install pydot`) for `plot_model` to work.", "pydot"),
    ("requires pygraphviz http://pygraphviz.github.io/", "pygraphviz"),
    ("The descartes package is required for plotting polygons in geopandas.", "descartes"),
    ("Couldn't find a tree builder with the features you requested: html5lib.", "html5lib"),
    ("A suitable version of pyarrow or fastparquet is required for parquet support.", "pyarrow"),
    ("Install lxml[html_clean] or lxml_html_clean directly.", "lxml[html_clean]"),
    ("clustermap requires fastcluster to be available", "fastcluster"),
]


@pytest.mark.parametrize(("message", "requirement"), WORDED, ids=[r for _, r in WORDED])
def test_the_requirement_is_read_off_the_message(message: str, requirement: str) -> None:
    assert requirement in list(list_requirements(message))


@pytest.mark.parametrize(
    "message",
    [
        "could not convert string to float: 'pip'",
        "The truth value of a Series is ambiguous. Use a.empty, a.bool(), a.item(), a.any() or a.all().",
        "cannot import name 'x' from 'pandas' (/usr/lib/python3/pandas/__init__.py)",
        "Numba needs NumPy 2.4 or less. Got NumPy 2.5.",
    ],
)
def test_other_messages_ask_for_nothing(message: str) -> None:
    assert list(list_requirements(message)) == []


def test_what_is_there_or_unknown_or_not_asked_for_is_not_installed(bench: Bench) -> None:
    assert bench.is_silent("IMP104", "raise ImportError('pandas is required: pip install pandas')")
    assert bench.is_silent("IMP104", "raise ImportError('no-such-thing-of-mine is not installed')")
    assert bench.is_silent("IMP104", "raise ValueError('the tables are not aligned: pygraphviz')")


def test_an_error_of_another_kind_that_says_what_is_not_installed_is_one_too(bench: Bench) -> None:
    cell = "raise ValueError('Rendering requires pygraphviz>=1.0 but it is not installed')"
    patches = bench.fail(cell).propose_patches()
    assert patches[0].edits == (Install("pygraphviz", "pygraphviz"),)
    cell = "raise ImportError('Please install scikit-bio first')"
    assert bench.fail(cell).propose_patches()[0].edits == (Install("scikit-bio", "skbio"),)


def test_a_release_is_quoted_in_the_line_that_installs_it() -> None:
    assert Install("setuptools<81", "pkg_resources").line == '%pip install "setuptools<81"'
    assert Install("dask[dataframe]", "dask").line == '%pip install "dask[dataframe]"'
    assert Install("scikit-bio", "skbio").line == "%pip install scikit-bio"
