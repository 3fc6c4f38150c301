"""IMP101: a module or a name of one that was never imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import add_import, import_line
from jupyter_selfheal.healers.rules._imports import ALIASES, AMBIGUOUS
from jupyter_selfheal.healers.rules._live import ask, survey
from jupyter_selfheal.healers.rules._rule import Rule, Scene
from jupyter_selfheal.model import Applicability, Patch

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class MissingImport(Rule):
    """Import a module, or a name of one, that the cell uses and nothing imported.

    **Failure** `NameError: name 'np' is not defined`, where the name is bound nowhere in the notebook but by an import,
    or is a usual alias, or is the name of a module.

    **Fix** The import is added to the cell that reads the name: as another cell of the notebook writes it, else as it is usually
    written. Every attribute that the notebook reads of the name must exist in what is imported, which tells
    `datetime.now()` from `datetime.timedelta()`.

    **Fix safety** Safe where the notebook itself imports the name so, or where the alias means one thing only. Unsafe for
    names that are as often variables (`date`, `stats`), and where several modules fit.
    """

    code = "IMP101"
    name = "missing import"
    enames = frozenset({"NameError", "UnboundLocalError"})
    applicability = Applicability.SAFE
    why = "The name has one usual meaning, and every attribute that the notebook reads of it exists there."

    def propose(self, scene: Scene) -> Iterator[Patch]:
        name = survey(scene).attribute or _name_in(scene.failure.evalue)
        if not name or scene.failure.ename != "NameError" or _is_bound(scene, name):
            return
        own = _own_imports(scene, name)
        candidates = own or list(ALIASES.get(name, ())) or [(name, "")]
        fitting = _fitting(scene, name, candidates)
        if not own and name not in ALIASES and not _is_used_as_module(scene, name):
            return
        for rank, (module, item) in enumerate(fitting):
            line = import_line(module, item, name)
            place = _home(scene)
            sure = bool(own) or (name not in AMBIGUOUS and rank == 0)
            yield self.patch(
                self.replace(scene, place, [add_import(scene.source_of(place), line)]),
                f"Add `{line}`",
                f"`{name}` is used but was never imported.",
                applicability=Applicability.SAFE if sure and rank == 0 else Applicability.UNSAFE,
                why="The notebook itself imports it so in another cell." if own else
                (self.why if sure else "The name fits this module, but may have been meant as something else."),
                prior=(0.9 if own else 0.85 if sure else 0.45) - 0.1 * rank,
            )  # fmt: skip


def _home(scene: Scene) -> str:
    """The cell that reads the name, if it only defines things (it runs again, then); else the failing cell."""
    cell_id, source, _ = scene.place()
    harmless = all(isinstance(s.node, DEFINITIONS) for s in src.statements(source))
    return cell_id if harmless else scene.failure.cell_id


def _name_in(message: str) -> str:
    parts = message.split("'")
    return parts[1] if len(parts) > 2 and parts[1].isidentifier() else ""


def _is_bound(scene: Scene, name: str) -> bool:
    """True where some cell binds the name other than by an import: then its absence is a matter of state or of a typo."""
    for cell in scene.notebook.cells:
        found = src.names(scene.source_of(cell.id) if cell.kind == "code" else "")
        if name in found.binds and name not in found.imports:
            return True
    return False


def _own_imports(scene: Scene, name: str) -> list[tuple[str, str]]:
    """How the notebook's cells import the name: (module, name in it or empty), without repeats."""
    found: list[tuple[str, str]] = []
    for cell in scene.notebook.cells:
        tree = src.parse(cell.source) if cell.kind == "code" else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Import):
                found += [(a.name, "") for a in node.names if (a.asname or a.name.split(".")[0]) == name]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found += [(node.module, a.name) for a in node.names if (a.asname or a.name) == name]
    return list(dict.fromkeys(found))


def _uses(scene: Scene, name: str) -> tuple[set[str], bool]:
    """Attributes read of the name where it was missed, in the failing cell and below, and whether it is called itself."""
    attributes, called = set(), False
    cells = [scene.place()[1], scene.source, *(c.source for c in scene.notebook.code_after(scene.failure.cell_id))]
    for text in cells:
        tree = src.parse(text)
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
                attributes.add(node.attr)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                called = True
    return attributes, called


def _is_used_as_module(scene: Scene, name: str) -> bool:
    attributes, called = _uses(scene, name)
    return bool(attributes) and not called


def _fitting(scene: Scene, name: str, candidates: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The candidates that can be imported here and have what the notebook reads of them."""
    attributes, called = _uses(scene, name)
    fits = ask(scene, "fits", pairs=[list(c) for c in candidates], attributes=sorted(attributes), called=called)
    return [(m, n) for m, n in candidates if [m, n] in (fits or ())]
