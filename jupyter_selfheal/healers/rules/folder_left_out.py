"""FIL115: a file that is opened by its name alone, of a folder that was listed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.project import find_missing_path
from jupyter_selfheal.model import Applicability, Patch

THERE = "__import__('os').path.exists(__import__('os').path.join({}, {}))"
MOVERS = frozenset({"rename", "renames", "replace", "move", "copy", "copy2", "copyfile", "link", "symlink"})
"""Functions that are given a second path, too."""
NO_PATH = frozenset(
    {"print", "display", "len", "str", "repr", "join", "append", "add", "insert", "format", "splitext", "basename"}
)
"""Functions that open nothing of a name that they are given."""


class FolderLeftOut(Rule):
    """Put the folder before a file's name that came of listing it.

    **Failure** `FileNotFoundError: 'jan.csv'` at `pd.read_csv(name)` in `for name in os.listdir(folder)`, or in `for root, folders, names in os.walk(top)`.

    **Fix** `pd.read_csv(os.path.join(folder, name))`.

    **Fix safety** Safe: the names are given without their folder, and the file is there. Silent where several listed folders have it and no loop around says which is meant, on a
    name that comes of no listing, and where the file is given another path, too, without a folder (`os.rename(name, name.lower())`): it would be moved. Unsafe where the cell opens the name alone once more, to write into it, say.
    """

    code = "FIL115"
    name = "folder left out"
    enames = frozenset({"FileNotFoundError", "OSError"})
    applicability = Applicability.SAFE
    why = "The names are those of that folder's files, without it, and the file is there."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        path, join = find_missing_path(context), context.reference("os.path.join")
        if not path or "/" in path or "\\" in path or join is None:
            return
        above = (c.id for c in context.notebook.list_code_before(context.failure.cell_id))
        listed = _list_listed_names([n for i in (*above, context.cell_id) for n in src.walk(context.source_of(i))])
        places = {
            n.id: n
            for c in context.list_calls_at_failure()
            for n in c.args
            if isinstance(n, ast.Name) and n.id in listed and not _is_moved(context, c)
        }
        for name, node in places.items():
            made = context.find_last_assignment(name)
            is_written = made is not None and isinstance(made.node.value, ast.Constant)
            if is_written or not context.is_true(f"{name} == {path!r}"):
                continue
            loops = [n for n in context.list_nodes_on_line(ast.For) if ast.unparse(n.target) == name]
            here = [f for loop in loops for f in _list_folders(ast.walk(loop.iter))]
            known = dict.fromkeys(here or _list_folders(context.walk_notebook()))
            folders = [f for f in known if context.is_true(THERE.format(f, name))]
            if len(folders) == 1:
                new = f"{join.text}({folders[0]}, {name})"
                uses = (c for c in context.walk(ast.Call) if node not in c.args and name in map(ast.unparse, c.args))
                again = next((context.text(c) for c in uses if read_last_name(c.func) not in NO_PATH), "")
                imports = context.add_imports([join.import_line] if join.import_line else [])
                yield self.patch(
                    context.replace_here((*context.span(node), new), *imports),
                    f"Use `{new}`",
                    f"`{name}` is the name alone of a file that lies in `{folders[0]}`.",
                    applicability=Applicability.UNSAFE if again else Applicability.SAFE,
                    why=f"`{again}` is given the name alone, too." if again else self.why,
                    prior=0.7 if again else 0.95,
                )
                return


def _list_listed_names(nodes: list[ast.AST]) -> set[str]:
    """Names that are given what `os.listdir` or `os.walk` gives, or something made of it."""
    kept: dict[str, set[str]] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                targets = [target]
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "extend"), args=[value]):
                targets = [target]
            case _:
                continue
        names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        for word in {getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(value)} - {""}:
            kept.setdefault(word, set()).update(names)
    listed, pending = set[str](), ["listdir", "walk"]
    while pending:
        if (word := pending.pop()) not in listed:
            listed.add(word)
            pending += kept.get(word, ())
    return listed


def _is_moved(context: RuleContext, call: ast.Call) -> bool:
    """Whether the file is to get a second path that has no folder."""
    other = context.text(call.args[-1])
    return read_last_name(call.func) in MOVERS and not context.is_true(
        f"__import__('os').path.dirname({other}) or __import__('os').path.isdir({other})"
    )


def _list_folders(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The folders whose files' names `os.listdir` gives, and each that `os.walk` is in."""
    for node in nodes:
        match node:
            case ast.Call(args=[ast.Name() | ast.Attribute() | ast.Constant() as folder]) if (
                read_last_name(node.func) == "listdir"
            ):
                yield ast.unparse(folder)
            case ast.For(target=ast.Tuple(elts=[ast.Name(root), _, _]), iter=ast.Call(func=called)) if (
                read_last_name(called) == "walk"
            ):
                yield root
