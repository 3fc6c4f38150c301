"""What the pages and our own messages name exists: options, settings, commands."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from dataclasses import fields

import pytest

from jupyter_selfheal import magic_options
from jupyter_selfheal.config import LIVE_SWITCHES, HealConfig
from jupyter_selfheal.surfaces.bench import reports
from jupyter_selfheal.surfaces.bench.notebooks.command import build_parser as notebooks_parser
from jupyter_selfheal.surfaces.bench.resilience.command import build_parser as resilience_parser
from jupyter_selfheal.surfaces.bench.run import build_parser as bench_parser
from jupyter_selfheal.surfaces.cli.parser import COMMANDS, build_parser
from tests import shown_commands
from tests.shown_commands import ROOT

OF_OTHERS = {"--engine", "--simple-prompt", "--no-deps", "--target", "--only-binary", "--constraint", "--no-input", "--disable-pip-version-check",
             "--compile-bytecode", "--python", "--short", "--no-raise-error", "--pylab", "--quiet", "--cell", "--to",
             "--porcelain", "--force-with-lease", "--path", "--add", "--no-write-fetch-head", "--no-commit-id", "--verify", "--cacheinfo", "--push", "--name-only",
             "--is-ancestor", "--show-toplevel", "--symref", "--no-tags", "--format",
             "--nbval", "--nbval-lax", "--nbmake", "--selfheal", "--selfheal-fix",
             "--faults", "--notebooks", "--workers", "--paid", "--folder", "--piece",
             "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--batch-check", "--sync"}  # fmt: skip
"""Options of pip, papermill, jupytext, git, unshare, IPython, pytest (our own there too) and of a benchmark, and one of the page of the JupyterLab extension."""


def texts_of_ours() -> Iterator[str]:
    """Every text in the package's code but the docstrings."""
    for path in (ROOT / "jupyter_selfheal").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        yield from (
            n.value
            for n in nodes
            if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in docstrings
        )


def offered() -> set[str]:
    """Every option of the command line and of ``%%heal``."""
    subparsers = [a.choices for p in (build_parser(),) for a in p._actions if isinstance(a, argparse._SubParsersAction)]
    helps = [
        build_parser().format_help(),
        bench_parser().format_help(),
        resilience_parser().format_help(),
        notebooks_parser().format_help(),
        *(reports.build_parser(name).format_help() for name in reports.REPORTS),
        *(p.format_help() for p in subparsers[0].values()),
    ]
    return set(re.findall(r"--[a-z][a-z-]+", "\n".join([*helps, magic_options.HELP])))


@pytest.mark.parametrize("text", [*shown_commands.options()])
def test_an_option_that_a_page_names_exists(text: str) -> None:
    assert text in offered() | OF_OTHERS


def test_settings_that_pages_name_exist() -> None:
    assert set(shown_commands.settings()) <= {f.name for f in fields(HealConfig)} | set(LIVE_SWITCHES)


def test_our_own_messages_name_nothing_that_does_not_exist() -> None:
    """An advice such as ``--consent``, or a command that is refused, is worse than none."""
    said = "\n".join(texts_of_ours())
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", said)) <= offered() | OF_OTHERS
    assert set(re.findall(r"`%%?heal ([a-z]+)", said)) <= set(magic_options.COMMANDS)
    assert set(re.findall(r"`jupyter selfheal ([a-z-]+)", said)) <= set(COMMANDS)
    assert set(re.findall(r"c\.SelfHeal\.([a-z]\w+)", said)) <= {f.name for f in fields(HealConfig)} | set(
        LIVE_SWITCHES
    )


def test_every_command_is_explained() -> None:
    assert [word for word in magic_options.COMMANDS if not re.search(rf"\b{word}\b", magic_options.HELP)] == []
    assert [
        word for word in COMMANDS if not re.search(rf"^ +{word}\s", build_parser().format_help(), re.MULTILINE)
    ] == []
