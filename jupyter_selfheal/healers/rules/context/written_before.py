"""What shows that a notebook was written before a release of a library: it uses what the library no longer had by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name


def find_older_use(context: RuleContext, package: str, release: str) -> str:
    """The first use in the notebook, as its cells were given, of what ``package`` had removed by that release: `sklearn.cross_validation`.

    A module or name that is imported, or a keyword of what is imported from it. A notebook that ran with it ran under an older release.
    Empty where there is none.
    """
    limit = _read_version(release)
    texts = [cell.given or cell.source for cell in context.notebook.cells if cell.kind == "code"]
    paths = [p for text in texts if package in text for p in _list_imports(text) if p.split(".")[0] == package]
    imported = {path.rsplit(".", 1)[-1] for path in paths}
    uses = [*(u for p in paths for u in _find_change(p)), *(u for text in texts for u in _list_old_keywords(text, imported, package))]  # fmt: skip
    return next((old for old, version in uses if _read_version(version) <= limit), "")


def _list_imports(source: str) -> Iterator[str]:
    for node in src.walk(source):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _find_change(path: str) -> Iterator[tuple[str, str]]:
    """What became of an imported name or of its module: the old name, and the release that removed it."""
    knowledge = load_knowledge()
    module = knowledge.module(path)
    change = knowledge.names.get(path) or (module[0] if module else None)
    if change is not None:
        yield change.old, change.version


def _list_old_keywords(source: str, imported: set[str], package: str) -> Iterator[tuple[str, str]]:
    """The keywords of calls of imported names that the package no longer takes, each with the release that removed it."""
    knowledge = load_knowledge()
    for node in src.walk(source):
        name = read_called_name(node) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or name not in imported:
            continue
        for keyword in node.keywords:
            change = knowledge.keyword(name, [package], keyword.arg or "")
            if change is not None and name in change.calls:
                yield f"{name}({keyword.arg}=…)", change.version


def _read_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())
