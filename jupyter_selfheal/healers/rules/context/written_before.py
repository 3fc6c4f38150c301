"""What shows that a notebook was written before a release of a library: it uses what the library no longer had by then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Output

_OLDER_BESIDE = {
    ("pandas", "3.0"): (("numpy", "1.26"), ("sklearn", "1.1"), ("scipy", "1.9"), ("imblearn", "0.6")),
    ("pandas", "2.0"): (("sklearn", "0.22"), ("scipy", "1.3"), ("imblearn", "0.6")),
    ("matplotlib", "3.3"): (("sklearn", "0.23"), ("pandas", "1.0"), ("scipy", "1.3"), ("imblearn", "0.6")),
    ("sklearn", "0.24"): (("pandas", "0.23"), ("scipy", "1.3"), ("imblearn", "0.6")),
}
"""What also shows that a package was older than a release: that something was used which another package had not any more by this release of it.

pandas 3.0 wants Python 3.11 and NumPy 1.26, for which there are no older scikit-learn and SciPy than these; pandas 2.0 and scikit-learn 0.24 came three
years and one year after what is named for them, and wanted a newer Python than those ran on, or a newer NumPy. imbalanced-learn before 0.6 asks
scikit-learn for modules that it has not any more since 0.24.
"""
_ASKED_OF_TABLES = frozenset({"ix", "as_matrix", "convert_objects", "weekday_name", "from_csv"})
"""Attributes that nothing but pandas ever had, until January 2020: its release 1.0, before those above."""
_LAST_RELEASES = {
    "2.7": {"pandas": "0.24", "sklearn": "0.20", "numpy": "1.16", "scipy": "1.2", "seaborn": "0.9", "statsmodels": "0.11"},
    "3.4": {"pandas": "0.22", "sklearn": "0.20", "numpy": "1.16", "scipy": "1.2", "seaborn": "0.9", "statsmodels": "0.10"},
    "3.5": {"pandas": "0.25", "sklearn": "0.22", "numpy": "1.18", "scipy": "1.4", "seaborn": "0.9", "statsmodels": "0.12"},
    "3.6": {"pandas": "1.1", "sklearn": "0.24", "numpy": "1.19", "scipy": "1.5", "seaborn": "0.11", "statsmodels": "0.12"},
    "3.7": {"pandas": "1.3", "sklearn": "1.0", "numpy": "1.21", "scipy": "1.7", "seaborn": "0.12", "statsmodels": "0.13"},
    "3.8": {"pandas": "2.0", "sklearn": "1.3", "numpy": "1.24", "scipy": "1.10", "seaborn": "0.13", "statsmodels": "0.14"},
    "3.9": {"pandas": "2.3", "sklearn": "1.6", "numpy": "2.0", "scipy": "1.13", "seaborn": "0.13", "statsmodels": "0.14"},
    "3.10": {"pandas": "2.3", "sklearn": "1.7", "numpy": "2.2", "scipy": "1.15", "seaborn": "0.13", "statsmodels": "0.14"},
}  # fmt: skip
"""The last release of each package that there is for a Python: a notebook that was saved under it knew no later one."""


def find_older_use(context: RuleContext, package: str, release: str) -> str:
    """The first use in the notebook, as its cells were given, of what ``package`` had removed by that release, or another package before: `sklearn.cross_validation`.

    Or the Python that the notebook was last saved under, for which there never was such a release: `Python 3.6`.
    A module or name that is imported or asked of what is (`pd.rolling_mean`), a keyword of what is imported from it, `.ix`. A notebook that ran with it ran under an older release.
    Empty where there is none.
    """
    beside = _OLDER_BESIDE.get((package, release), ())
    texts = [cell.given or cell.source for cell in context.notebook.cells if cell.kind == "code"]
    found = (find_removed(texts, name, version) for name, version in ((package, release), *beside))
    used = next(filter(None, found), "") or (_find_asked_of_tables(texts) if beside else "")
    return used or _find_older_python(context.notebook.python, package, release)


def _find_older_python(python: str, package: str, release: str) -> str:
    line = ".".join(python.split(".")[:2])
    last = _LAST_RELEASES.get(line, {}).get(package, "")
    return f"Python {line}" if last and _read_version(last) < _read_version(release) else ""


def ran_once(context: RuleContext, before: str = "") -> bool:
    """Whether the notebook stores a run of the failing cell that came to its end: so it was before the release in which it fails, where it was not
    saved under a Python that is later than that, ``before`` or any behind it."""
    if before and _read_version(context.notebook.python or "0") >= _read_version(before):
        return False  # the cell was edited since, or what it reads
    cell = context.notebook.cell(context.failure.cell_id)
    is_stored = cell.count is not None or bool(cell.outputs)
    return is_stored and all(o.output_type != "error" for o in cell.outputs)


def _find_asked_of_tables(texts: Sequence[str]) -> str:
    nodes = (node for text in texts for node in src.walk(text))
    return next((f".{n.attr}" for n in nodes if isinstance(n, ast.Attribute) and n.attr in _ASKED_OF_TABLES), "")


def ran_unseen(context: RuleContext, before: str) -> bool:
    """Whether it did so under a Python that is named in the notebook, and stores no value by which a fix is told right or wrong."""
    shown = (o for o in context.notebook.cell(context.failure.cell_id).outputs if o.output_type != "error")
    is_told = any(_shows_value(o) for o in shown)
    return bool(context.notebook.python) and not is_told and ran_once(context, before)


def _shows_value(output: Output) -> bool:
    """Not a picture, the name of an object (`<Axes: >`), or a warning."""
    if output.output_type == "stream":
        return output.name != "stderr" and bool(output.text.strip())
    is_named = "<" in str(output.data.get("text/plain", "<"))[:9]
    return not is_named and not any(kind.startswith("image/") for kind in output.data)


def find_removed(texts: Sequence[str], package: str, release: str) -> str:
    limit = _read_version(release)
    paths = [p for text in texts if package in text for p in _list_imports(text) if p.split(".")[0] == package]
    imported = {path.rsplit(".", 1)[-1] for path in paths}
    paths += [p for p in _list_attributes(texts) if p.split(".")[0] == package]
    uses = [*(u for p in paths for u in _find_change(p)), *(u for text in texts for u in _list_old_keywords(text, imported, package))]  # fmt: skip
    return next((old for old, version in uses if _read_version(version) <= limit), "")


def _list_imports(source: str) -> Iterator[str]:
    for node in src.walk(source):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _list_attributes(texts: Sequence[str]) -> Iterator[str]:
    """`pandas.rolling_mean` for `pd.rolling_mean`, of modules that the notebook imports whole."""
    trees = [list(src.walk(text)) for text in texts]
    aliases = [alias for tree in trees for n in tree if isinstance(n, ast.Import) for alias in n.names]
    modules = {alias.asname or alias.name: alias.name for alias in aliases if alias.asname or "." not in alias.name}
    for tree in trees:
        for node in tree:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                yield f"{modules[node.value.id]}.{node.attr}"


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
