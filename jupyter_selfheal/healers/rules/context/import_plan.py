"""What is to become of an import of what a library renamed, moved or removed: the part of API101 that looks for successors."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.edits import Splice, format_import
from jupyter_selfheal.healers.rules.context.knowledge import Change, load_knowledge
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import is_name

SEARCHED = frozenset({
    "numpy", "scipy", "pandas", "sklearn", "matplotlib", "seaborn", "statsmodels", "sympy", "networkx", "IPython", "ipywidgets",
    "skimage", "nltk", "bokeh", "plotly", "dask", "xarray", "gensim", "traitlets", "jinja2", "werkzeug", "flask", "django", "requests",
    "PIL", "torch", "keras", "polars", "altair",
})  # fmt: skip
"""Packages whose submodules are searched for a name that is gone from where it was imported from."""

ALIASES = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "mpl": "matplotlib"}
"""Names by which libraries import others, as everybody does."""

USER = "the cell that uses it"
NOTHING = "nothing, as no cell uses it"
WRITTEN_OUT = "its formula"
"""What a note names where no successor is left: what it computed stands in its place."""


@dataclass
class Plan:
    """What is to become of one cell's imports: new lines in place of statements, uses to rewrite, notes for the patch."""

    splices: list[Splice] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    chains: dict[str, str] = field(default_factory=dict)
    """``sklearn.cross_validation`` → ``sklearn.model_selection`` where the whole path is written out in the code."""
    calls: dict[str, Change] = field(default_factory=dict)
    """Bound name → the change whose forms rewrite its calls."""
    made: dict[str, Change] = field(default_factory=dict)
    """Variable → the change of the class that made what it holds, whose methods gave something else."""
    notes: list[str] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)
    doubts: dict[str, str] = field(default_factory=dict)
    """What is unsafe in notebooks where a regular expression matches, by that expression."""
    requires: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    shown: bool = False
    is_cautious: bool = False
    """Whether the import of a name whose successor is another thing goes to the first cell below that uses it."""
    lost: str = ""
    """A package that is not there, and of which no distribution is known."""
    moved: list[tuple[str, str]] = field(default_factory=list)
    """Those imports, each with the cell that it goes to."""


def check_imports(context: RuleContext, nodes: list[ast.Import | ast.ImportFrom]) -> list[list[bool]]:
    """For each statement, which of its names can be imported: one question, as each may load a library."""
    pairs = [(a.name, "") if isinstance(n, ast.Import) else (n.module or "", a.name) for n in nodes for a in n.names]
    answers = iter(context.can_import(pairs))
    return [[next(answers) for _ in n.names] for n in nodes]


def plan_import(context: RuleContext, node: ast.Import, works: list[bool], plan: Plan) -> None:
    """``import a.b as c``: each module on its own line once one of them is gone."""
    lines, noted = [], len(plan.notes)
    for alias, fine in zip(node.names, works, strict=True):
        written = alias.name + (f" as {alias.asname}" if alias.asname else "")
        successor = None if fine else _find_successor(context, alias.name, "")
        if successor is None:
            if not _move_lost(context, node, alias.name, f"import {written}", plan):
                lines.append(f"import {written}")
            continue
        bound = alias.asname or alias.name
        if _is_another_package(context, alias, successor[0]):
            if not _is_used(context, bound):
                plan.removed.append(f"the import of `{alias.name}`, which nothing in the notebook uses")
                plan.notes.append(f"{alias.name} → {NOTHING}")
                continue
            successor = _find_home_of_uses(context, alias.name, bound) or successor
            if plan.is_cautious and (user := _find_user_below(context, bound)):
                plan.moved.append((f"import {written}", user))
                plan.notes.append(f"{alias.name} → {USER}")
                continue
        change, path = successor
        if not alias.asname and "." in alias.name:
            plan.chains[alias.name] = path
            lines.append(f"import {path}")
        else:
            lines.append(_import_as(context, path, bound))
        _add_note(plan, alias.name, path, change)
    if len(plan.notes) > noted:
        _replace_statement(context, node, lines, plan)


def plan_import_from(context: RuleContext, node: ast.ImportFrom, works: list[bool], plan: Plan) -> None:
    """``from m import a, b as c``: the names that are gone, each from its new home under the name that it is used by."""
    module = node.module or ""
    kept = [a for a, fine in zip(node.names, works, strict=True) if fine]
    homes: dict[str, list[str]] = {}
    for alias, fine in zip(node.names, works, strict=True):
        if fine:
            continue
        successor = _find_successor(context, module, alias.name)
        is_doubtful = successor is not None and _is_another_thing(successor[0])
        if (successor is None or is_doubtful) and _is_dead(context, module, alias, is_known=is_doubtful):
            plan.removed.append(f"the import of `{alias.name}`, which nothing in the notebook uses")
            plan.notes.append(f"{module}.{alias.name} → {NOTHING}")
            continue
        if plan.is_cautious and is_doubtful and (user := _find_user_below(context, alias.asname or alias.name)):
            line = format_import(module, alias.name, alias.asname or "")
            plan.moved.append((line, user))
            plan.notes.append(f"{module}.{alias.name} → {USER}")
            continue
        if successor is None:
            if _move_lost(context, node, module, ast.unparse(node), plan):
                _replace_statement(context, node, [], plan)
            return
        change, path = successor
        bound = alias.asname or alias.name
        if change is not None and change.settled and _is_settled(context, bound, change.settled):
            change = replace(change, unsafe="", unsafe_where="")
        if change is not None and change.binds:
            homes.setdefault("", []).extend(line.replace("{name}", bound) for line in change.binds)
        elif change is not None and (change.forms or change.read) and not change.new:
            plan.calls[bound] = change
            makers = _find_makers(context, bound, change) if change.made else set()
            plan.made |= dict.fromkeys(makers or (), change)
            plan.unsafe += [change.unsafe] if makers is None else []
        elif path and alias.name == "*":
            homes.setdefault(path, []).append("*")
        else:
            home, name, deep = _split_path(context, path)
            if change is not None and change.requires:  # it is not there yet, and cannot be asked
                home, _, name = path.rpartition(".")
            if deep:
                plan.chains[bound] = f"{name}.{deep}"
                homes.setdefault(home, []).append(name)
            elif not home:
                line = _import_as(context, path, bound) if _is_module(context, path) else f"{bound} = {name}"
                homes.setdefault("", []).append(line)
            else:
                homes.setdefault(home, []).append(name if name == bound else f"{name} as {bound}")
        _add_note(plan, f"{module}.{alias.name}", path or change.new if change else path, change)
    lines = []
    if kept:
        names = ", ".join(a.name + (f" as {a.asname}" if a.asname else "") for a in kept)
        lines.append(f"from {module} import {names}")
    lines += [f"from {home} import {', '.join(dict.fromkeys(names))}" for home, names in homes.items() if home]
    lines += homes.get("", [])  # a builtin has no home: the name is bound to it
    _replace_statement(context, node, lines, plan)


def _find_successor(context: RuleContext, module: str, name: str) -> tuple[Change | None, str] | None:
    """Where a module (no name) or a name of a module is now, checked in the running environment."""
    known = load_knowledge()
    path = f"{module}.{name}" if name and name != "*" else module
    change = known.names.get(path)
    if change is not None and (change.requires or change.binds or (not change.new and change.forms)):
        return _forget_requirement(context, change, change.new), change.new
    if change is not None and change.new and context.exists(change.new):
        return change, change.new
    moved = known.module(module)
    if moved is not None and moved[1]:
        target = moved[1] + (f".{name}" if name and name != "*" else "")
        if moved[0].requires or context.exists(target):
            return _forget_requirement(context, moved[0], target), target
    gone = known.modules.get(path) if name else None  # `from sklearn import cross_validation`
    if gone is not None and gone.new and (gone.requires or context.exists(gone.new)):
        return _forget_requirement(context, gone, gone.new), gone.new
    if module == "scipy" and name and context.exists(f"numpy.{name}"):
        source = "https://docs.scipy.org/doc/scipy/release/1.4.0-notes.html"
        return Change(path, f"numpy.{name}", "scipy", "1.4", source), f"numpy.{name}"
    alias = find_shown_library(context, module, name)
    return (alias, alias.new) if alias is not None else _search_package(context, module, name)


def find_shown_library(context: RuleContext, module: str, name: str) -> Change | None:
    """The library that a package once showed among its own names (``sns.plt``), where it is there."""
    package = module.split(".")[0]
    if name not in ALIASES or package not in SEARCHED or not context.exists(ALIASES[name]):
        return None
    source = f"`{package}` imported it under this name for itself"
    return Change(f"{module}.{name}", ALIASES[name], package, "", source)


def _forget_requirement(context: RuleContext, change: Change, target: str) -> Change:
    """The change, without what is to be installed for it where that is there."""
    return replace(change, requires="") if change.requires and context.exists(target) else change


def _is_settled(context: RuleContext, name: str, condition: str) -> bool:
    """True where something that is there holds of the first argument of each call of a name in the notebook, and there is a call."""
    firsts = {
        ast.unparse(call.args[0]) if call.args and isinstance(call.args[0], ast.Name) else ""
        for cell in context.notebook.cells
        if cell.kind == "code" and (tree := src.parse(context.source_of(cell.id))) is not None
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
    }
    return bool(firsts) and all(first and context.is_true(condition.replace("{first}", first)) for first in firsts)


def _find_makers(context: RuleContext, name: str, change: Change) -> set[str] | None:
    """The variables that hold what calls of a class made; None where a method that gave something else may be asked of it otherwise."""
    nodes = list(context.walk_notebook())
    held: dict[str, set[bool]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            held.setdefault(node.targets[0].id, set()).add(_find_callee(node.value) == name)
    asked = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr in change.made]
    if any(not isinstance(n.value, ast.Name) or len(held.get(n.value.id, ())) != 1 for n in asked):
        return None
    made = {variable for variable, is_made in held.items() if is_made == {True}}
    calls = sum(isinstance(n, ast.Call) and is_name(n.func, name) for n in nodes)
    kept = sum(isinstance(n, ast.Assign) and _find_callee(n.value) == name for n in nodes)
    is_handed_on = calls > kept and any(not (isinstance(n.value, ast.Name) and n.value.id in made) for n in asked)
    return None if is_handed_on else made  # a function may return one


def _find_callee(node: ast.expr) -> str:
    """``GMM`` of ``GMM(2).fit(X)``."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_another_thing(change: Change | None) -> bool:
    """True where the changelog says that the successor differs, whatever the notebook holds."""
    return change is not None and bool(change.unsafe) and not change.unsafe_where


def _is_another_package(context: RuleContext, alias: ast.alias, change: Change | None) -> bool:
    """True for a module under a name of its own that went to another package, which is not there, while its old one is."""
    if not alias.asname or change is None or not change.requires:
        return False
    old, new = alias.name.split(".")[0], change.new.split(".")[0]
    return old != new and old != alias.name and _is_module(context, old)


def _find_home_of_uses(context: RuleContext, module: str, name: str) -> tuple[Change, str] | None:
    """The one module in which all is that the notebook uses of a module under a name, as the changelog says member by member; None where
    the module is used otherwise."""
    nodes = list(context.walk_notebook())
    members = [n.attr for n in nodes if isinstance(n, ast.Attribute) and is_name(n.value, name)]
    if len(members) < sum(is_name(n, name) for n in nodes):
        return None
    changes = [load_knowledge().names.get(f"{module}.{member}") for member in members]
    known = [c for c in changes if c is not None and c.new and context.exists(c.new)]
    homes = {c.new.rpartition(".")[0] for c in known}
    return (known[0], homes.pop()) if len(known) == len(members) and len(homes) == 1 else None


def _is_dead(context: RuleContext, module: str, alias: ast.alias, *, is_known: bool) -> bool:
    """True for a name of a known library that nothing uses and that a changelog knows, or that is no misspelt one of the module."""
    if alias.name == "*" or module.split(".")[0] not in SEARCHED or _is_used(context, alias.asname or alias.name):
        return False
    if is_known:
        return True
    members = context.ask(questions.LIST_MEMBERS, path=module)
    return members is not None and not get_close_matches(alias.name, members, n=1, cutoff=0.75)


def _is_used(context: RuleContext, name: str) -> bool:
    """True where some cell of the notebook reads the name."""
    return any(is_name(n, name) for n in (*context.walk(ast.Name), *context.walk_notebook()))


def _move_lost(context: RuleContext, node: ast.Import | ast.ImportFrom, module: str, line: str, plan: Plan) -> bool:
    """Whether an import of what nobody can bring goes to the first cell below that uses it."""
    names = {a.asname or a.name.split(".")[0] for a in node.names}
    is_lost = plan.is_cautious and module.split(".")[0] == plan.lost and node in context.tree.body
    user = _find_user_below(context, *names) if is_lost else ""
    if is_lost and plan.moved and not any(_is_used(context, name) for name in names):
        user = plan.moved[-1][1]  # beside what else is used of it
    if user:
        plan.moved.append((line, user))
        plan.notes.append(f"{module} → {USER}")
    return bool(user)


def _find_user_below(context: RuleContext, *names: str) -> str:
    """The first cell below that reads one of the names which the cell at hand imports and does not read; empty where there is none, where
    that one only defines what reads it, and where a cell gives such a name to something else."""
    if any(node.id in names for node in context.walk(ast.Name)) or any(
        _is_bound(n, names) for n in context.walk_notebook()
    ):
        return ""
    below = (c.id for c in context.notebook.list_code_after(context.cell_id) if c.id != context.cell_id)
    user = next((i for i in below if any(n.id in names for n in context.view_cell(i).walk(ast.Name))), "")
    body = context.view_cell(user).tree.body if user else []
    runs = [s for s in body if not isinstance(s, ast.FunctionDef | ast.ClassDef)]
    return user if any(is_name(n, name) for s in runs for n in ast.walk(s) for name in names) else ""


def _is_bound(node: ast.AST, names: tuple[str, ...]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    return getattr(node, "name" if isinstance(node, ast.FunctionDef | ast.ClassDef) else "arg", None) in names


def _search_package(context: RuleContext, module: str, name: str) -> tuple[Change | None, str] | None:
    """The one public module of the package that lists the name, or the module's own name further up or down in it."""
    package = module.split(".")[0]
    if not name or name == "*" or package not in SEARCHED:
        return None
    matches = context.find_modules_with(package, [name])
    listed = [m for m, is_listed in matches if is_listed] or [m for m, _ in matches]
    listed = [m for m in listed if m != module]
    if not listed:
        return None
    listed.sort(key=lambda m: (m.count("."), m))
    top = [m for m in listed if m.count(".") == listed[0].count(".")]
    if len(top) > 1:
        top = [m for m in top if m == module.rsplit(".", 1)[0]] or top
    if len(top) > 1:
        return None
    home = top[0]
    change = Change(f"{module}.{name}", f"{home}.{name}", package, "", "the installed package",
                    unsafe="" if home == module.rsplit(".", 1)[0] or (home, True) in matches
                    else "it was found by its name alone")  # fmt: skip
    return change, f"{home}.{name}"


def _split_path(context: RuleContext, path: str) -> tuple[str, str, str]:
    """(module, name, rest) of a dotted path: ``sklearn.metrics``, ``ConfusionMatrixDisplay``, ``from_estimator``."""
    reference = context.ask(questions.REFERENCE, path=path)
    module, rest = reference.get("module", ""), reference.get("rest", "")
    if not module or reference.get("builtin"):
        return "", path.rsplit(".", 1)[-1] if path.startswith("builtins.") else path, ""
    if not rest:
        package, _, last = module.rpartition(".")
        return package, last, ""
    name, _, deep = rest.partition(".")
    return module, name, deep


def _import_as(context: RuleContext, path: str, bound: str) -> str:
    home, name, deep = _split_path(context, path)
    if deep or not home:
        return f"import {path}" if path == bound else f"import {path} as {bound}"
    if context.exists(path) and not _is_module(context, path):
        return f"from {home} import {name}" + ("" if name == bound else f" as {bound}")
    return f"import {path} as {bound}"


def _is_module(context: RuleContext, path: str) -> bool:
    return context.ask(questions.CHECK_IMPORTS, pairs=[[path, ""]]) == [True]


def _add_note(plan: Plan, old: str, new: str, change: Change | None) -> None:
    if change is not None and change.binds:
        new = change.binds[-1].replace("{name}", old.rpartition(".")[2])
    shown = new or (change.forms[0].template.split("(")[0].strip("{}@") if change and change.forms else "")
    plan.notes.append(f"{old} → {shown or WRITTEN_OUT}")
    if change is not None:
        if change.unsafe_where:
            plan.doubts[change.unsafe_where] = change.unsafe
        elif change.unsafe:
            plan.unsafe.append(change.unsafe)
        if change.requires:
            plan.requires[change.requires] = new.split(".")[0]
        plan.shown = plan.shown or change.show


def _replace_statement(context: RuleContext, node: ast.stmt, lines: list[str], plan: Plan) -> None:
    start, end = context.span(node)
    begin = context.source.rfind("\n", 0, start) + 1
    indent = context.source[begin:start]
    joint = f"\n{indent}" if not indent.strip() else "; "
    text = joint.join(lines)
    if not lines:
        text = "pass"
        follows = context.source[end:].lstrip(" \t")
        alone = len(context.tree.body) == 1
        if (
            not indent.strip()
            and node in context.tree.body
            and (follows.startswith(("\n", "#")) or not (follows or alone))
        ):
            text = ""
    if text != context.source[start:end]:
        plan.splices.append((start, end, text))
