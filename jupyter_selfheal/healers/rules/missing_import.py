"""IMP101: a module or a name of one that was never imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.asked_functions import is_asked_for
from jupyter_selfheal.healers.rules.context.edits import add_import, format_import
from jupyter_selfheal.healers.rules.context.project import list_imported_names
from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.tables import import_aliases, read_words
from jupyter_selfheal.model import Applicability, Patch

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class MissingImport(Rule):
    """Import a module, or a name of one, that the cell uses and nothing imported.

    **Failure** `NameError: name 'np' is not defined`, where the name is bound nowhere in the notebook but by an import,
    or is a usual alias, the name of a module, or of a class or (in several words, and called) a function of a library that the notebook imports.

    **Fix** The import is added to the cell that reads the name: as another cell of the notebook writes it, else as it is usually
    written. Every attribute that the notebook reads of the name must exist in what is imported, which tells
    `datetime.now()` from `datetime.timedelta()`.

    **Fix safety** Safe where the notebook itself imports the name so, where it calls a usual function of a module that it imports (`sqrt(2)` beside
    `import math`), or where the alias means one thing only. Unsafe for
    a class of one word (`Circle`) unless it is handed to that library, a function (`make_blobs`) unless the notebook takes others from the same module, for names that are as often variables (`date`, `stats`), where several modules fit, for `randint` beside NumPy, and
    where the notebook asks for a function of this name ("Write `factorial(n)` with a loop").
    """

    code = "IMP101"
    name = "missing import"
    stage = Stage.IMPORTS
    enames = frozenset({"NameError", "UnboundLocalError"})
    applicability = Applicability.SAFE
    why = "The name has one usual meaning, and every attribute that the notebook reads of it exists there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.state.attribute or _name_in(context.failure.evalue)
        if not name or context.failure.ename != "NameError" or _is_bound(context, name):
            return
        own = _list_own_imports(context, name)
        is_new = not own and name not in import_aliases()
        if is_new and (_HUMPS.fullmatch(name) or (_WORDS.fullmatch(name) and _is_called_only(context, name))):
            yield from self._propose_import_from_library(context, name)
            return
        candidates = own or list(import_aliases().get(name, ())) or [(name, "")]
        fitting = _select_fitting(context, name, candidates)
        if own and not fitting:  # what a cell below reads of it may be that cell's own slip
            attributes, called = _collect_uses(context, name, below=False)
            fitting = context.select_fitting(candidates, attributes, called=called)
        known = import_aliases().get(name, (("", ""),))[0]
        is_word = known in (("", ""), ("sklearn", name))  # a variable may be called `neighbors`, too
        if not own and is_word and not _is_used_as_module(context, name):
            return
        if not own and _is_used_as_value(context, name):
            fitting = [(module, item) for module, item in fitting if item]
        packages = _list_packages(context)
        for rank, (module, item) in enumerate(fitting):
            line = format_import(module, item, name)
            place = _choose_cell(context)
            is_drawn = module == "random" and bool(item) and packages & {"numpy", "random"} == {"numpy"}
            sure = not is_drawn and name not in read_words("imports", "ambiguous") and rank == 0
            sure = sure or (rank == 0 and bool(item) and _is_called_beside_module(context, name, module))
            sure = bool(own) or (sure and not is_asked_for(context.notebook, context.cell_id, name))
            yield self.patch(
                context.replace(place, [add_import(context.source_of(place), line)]),
                f"Add `{line}`",
                f"`{name}` isn't imported.",
                applicability=Applicability.SAFE if sure and rank == 0 else Applicability.UNSAFE,
                why="The notebook itself imports it so in another cell." if own else
                (self.why if sure else "The name fits this module, but may have been meant as something else."),
                prior=(0.9 if own else 0.85 if sure else 0.45) - 0.1 * rank,
            )  # fmt: skip

    def _propose_import_from_library(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """A class or function that one of the libraries has that the notebook works with."""
        definitions = context.find_definitions(name, _list_packages(context)) if not _is_misspelt(context, name) else []
        if len(definitions) != 1:
            return
        package, module = definitions[0]
        exercise = any(is_skeleton(c.source) for c in context.notebook.cells if c.kind == "code")
        is_function = _WORDS.fullmatch(name) is not None
        if is_function:  # the notebook's own may have this name, but beside others of the module that it imports
            sure = _imports_from(context, module) and not is_asked_for(context.notebook, context.cell_id, name)
        else:
            sure = re.search(r"[a-z0-9][A-Z]", name) is not None or _is_handed_to(context, name, package)
        sure, what = sure and not exercise, "function" if is_function else "class"
        place = _choose_cell(context)
        line = format_import(module, name, name)
        yield self.patch(
            context.replace(place, [add_import(context.source_of(place), line)]),
            f"Add `{line}`",
            f"`{name}` isn't imported.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=f"Of the libraries that the notebook imports, {package} alone has a {what} of this name."
            if sure
            else f"A library has a {what} of this name, but the notebook's own may have been meant.",
            prior=0.75 if sure else 0.4,
        )


_HUMPS = re.compile(r"(?:[A-Z]+[a-z0-9]+)+[A-Z]*")
"""The name of a class: ``Bbox``, ``LinearRegression``, ``MultinomialNB``."""


_WORDS = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
"""The name of a function, in several words: ``make_blobs``, ``mean_squared_error``."""


def _is_called_only(context: RuleContext, name: str) -> bool:
    attributes, called = _collect_uses(context, name)
    return called and not attributes


def _imports_from(context: RuleContext, module: str) -> bool:
    """Whether a cell takes something else from the very module."""
    nodes = (n for c in context.notebook.cells if c.kind == "code" for n in src.walk(c.source))
    return any(isinstance(n, ast.ImportFrom) and n.module == module and not n.level for n in nodes)


def _list_packages(context: RuleContext) -> set[str]:
    """The top-level packages that the notebook's cells import."""
    names = set()
    for cell in context.notebook.cells:
        for node in ast.walk((src.parse(cell.source) if cell.kind == "code" else None) or ast.Module([], [])):
            if isinstance(node, ast.Import):
                names |= {a.name.split(".")[0] for a in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
        if re.search(r"(?m)^%(pylab|matplotlib)\b", cell.source):
            names.add("matplotlib")
    return names


def _is_called_beside_module(context: RuleContext, name: str, module: str) -> bool:
    """``sqrt(2)`` in a notebook that imports ``math``."""
    return _collect_uses(context, name, below=False)[1] and module.split(".")[0] in list_imported_names(context)


def _is_misspelt(context: RuleContext, name: str) -> bool:
    """True where something of nearly this name is known at the place of the failure."""
    return bool(find_nearest(name, context.known_names))


def _is_handed_to(context: RuleContext, name: str, package: str) -> bool:
    """True where the value goes straight into a call on an object of the package: ``fig.savefig(bbox_inches=Bbox(…))``."""
    for call in context.list_nodes_on_line(ast.Call):
        given = [a.func if isinstance(a, ast.Call) else a for a in (*call.args, *(k.value for k in call.keywords))]
        owner = src.find_root_name(call.func)
        if owner and any(isinstance(g, ast.Name) and g.id == name for g in given):
            live = context.describe(owner)
            return live is not None and (live.module.split(".")[0] == package or live.name.split(".")[0] == package)
    return False


def _choose_cell(context: RuleContext) -> str:
    """The cell that reads the name, if it only defines things (it runs again, then); else the failing cell."""
    cell_id, source, _ = context.location
    harmless = all(isinstance(s.node, DEFINITIONS) for s in src.list_statements(source))
    return cell_id if harmless else context.failure.cell_id


def _name_in(message: str) -> str:
    parts = message.split("'")
    return parts[1] if len(parts) > 2 and parts[1].isidentifier() else ""


def _is_bound(context: RuleContext, name: str) -> bool:
    """True where some cell binds the name other than by an import: then its absence is a matter of state or of a typo."""
    for cell in context.notebook.cells:
        bound_names = src.find_names(context.source_of(cell.id) if cell.kind == "code" else "")
        if name in bound_names.binds and name not in bound_names.imports:
            return True
    return False


def _list_own_imports(context: RuleContext, name: str) -> list[tuple[str, str]]:
    """How the notebook's cells import the name: (module, name in it or empty), without repeats."""
    names: list[tuple[str, str]] = []
    for cell in context.notebook.cells:
        tree = src.parse(cell.source) if cell.kind == "code" else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Import):
                names += [(a.name, "") for a in node.names if (a.asname or a.name.split(".")[0]) == name]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names += [(node.module, a.name) for a in node.names if (a.asname or a.name) == name]
    return list(dict.fromkeys(names))


def _collect_uses(context: RuleContext, name: str, *, below: bool = True) -> tuple[set[str], bool]:
    """Attributes read of the name where it was missed, in the failing cell and ``below``, and whether it is called itself."""
    attributes, called = set(), False
    cells = [
        context.location[1],
        context.failure.source,
        *(c.source for c in context.notebook.list_code_after(context.failure.cell_id) if below),
    ]
    for text in cells:
        tree = src.parse(text)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
                attributes.add(node.attr)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                called = True
    return attributes, called


def _is_used_as_module(context: RuleContext, name: str) -> bool:
    attributes, called = _collect_uses(context, name)
    return bool(attributes) and not called


def _is_used_as_value(context: RuleContext, name: str) -> bool:
    """True where no module can stand, as in `for x in st`, `st[0]` and `st + 1`, and nothing is read of it anywhere."""
    used: list[ast.expr | None] = []
    for node in context.list_nodes_on_line(ast.For, *_COMPREHENSIONS, ast.Subscript, ast.BinOp, ast.Compare):
        match node:
            case ast.For():
                used.append(node.iter)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                used += (loop.iter for loop in node.generators)
            case ast.Subscript():
                used.append(node.value)
            case ast.BinOp():
                used += (node.left, node.right)
            case ast.Compare():
                used += (node.left, *node.comparators)
    attributes, _ = _collect_uses(context, name)
    return not attributes and any(isinstance(n, ast.Name) and n.id == name for n in used)


def _select_fitting(context: RuleContext, name: str, candidates: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The candidates that can be imported here and have what the notebook reads of them."""
    attributes, called = _collect_uses(context, name)
    return context.select_fitting(candidates, attributes, called=called)
