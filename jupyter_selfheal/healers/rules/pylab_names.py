"""IMP106: names that a kernel in pylab mode had, or that a library which the notebook uses has."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import cache

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.asked_functions import is_asked_for
from jupyter_selfheal.healers.rules.context.edits import add_import
from jupyter_selfheal.healers.rules.context.project import list_imported_names
from jupyter_selfheal.healers.rules.context.tables import import_aliases, read_table, read_words
from jupyter_selfheal.model import Applicability, Patch


class PylabNames(Rule):
    """Import the names that the kernel had when the notebook was written.

    **Failure** `NameError: name 'linspace' is not defined`, where no cell binds or imports the name, and `pylab` has it: until
    2014 kernels were started with `--pylab`. Also `Inf` and `NaN`, which went with NumPy 2.0, and a class that one public
    module of a library which the notebook imports defines (`Bbox` of `matplotlib.transforms`).

    **Fix** `from pylab import cos, inf as Inf, plot`: every such name of the notebook at once, where it is first missed; from `math` or `numpy`
    those that it has, where the notebook imports that and it has the one that is missed.

    **Fix safety** Safe where several names of the notebook are missing and pylab has them all, or the notebook imports NumPy or
    Matplotlib and the name is an elementary function (`cos`, `subplots`), or one module only defines the class. Silent where
    none of the names is elementary and the notebook imports nothing of that kind (`add`, `multiply`), for names that a cell
    binds, and for those of `random` where the notebook imports that. Unsafe where the notebook asks for a function of this
    name ("Write functions `mean` and `var`").
    """

    code = "IMP106"
    name = "name of pylab mode"
    enames = frozenset({"NameError"})
    applicability = Applicability.SAFE
    why = "Nothing in the notebook binds the name, and the library that it was written with has it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or name in _list_modules() or name in _list_bound(context):
            return
        imported = set(list_imported_names(context))
        if "random" in imported and context.exists(f"random.{name}"):
            return  # pylab's `choice` and `sample` are NumPy's, which draw otherwise, and of another seed
        if name in read_words("pylab", "tools"):
            yield self._build_patch(context, [f"from IPython.core.pylabtools import {name}"], [name], sure=True)
            return
        unbound = _list_unbound(context) | {name}
        matches = sorted(
            unbound & (read_words("pylab", "offered") | read_table("pylab")["renamed"].keys()) - _list_modules()
        )
        has_known = any(n in read_words("pylab", "elementary") for n in matches)
        if name in matches and (
            has_known or imported & read_words("pylab", "starred")
        ):  # not `add` and `multiply` alone
            known = name in read_words("pylab", "elementary") or name in read_table("pylab")["renamed"]
            sure = len(matches) > 2 or (known and bool(imported & read_words("pylab", "starred")))
            sure = sure and not is_asked_for(context.notebook, context.cell_id, name)
            homes = [m for m in ("math", "numpy") if m in imported and context.exists(f"{m}.{name}")]
            for rank, home in enumerate((*homes, "pylab") if sure or len(matches) > 1 else ()):
                names = [n for n in matches if home == "pylab" or context.exists(f"{home}.{n}")]
                yield self._build_patch(context, _write_imports(home, names), names, sure=sure, rank=rank)
        elif name[:1].isupper() and len(name) > 3 and not name.isupper():
            yield from self._import_from_library(context, name, sorted(imported))

    def _import_from_library(self, context: RuleContext, name: str, packages: list[str]) -> Iterator[Patch]:
        homes = [m for p in packages[:8] for m, _ in context.find_modules_with(p, [name])]
        definitions = {context.ask(questions.NAME_DEFINITION, path=f"{m}.{name}") for m in homes[:6]}
        paths = {path for path in definitions if path is not None}
        if len(paths) != 1:
            return
        path = paths.pop().rpartition(".")[0]
        home = path if path in homes else min(homes, key=lambda m: (m.count("."), m))
        yield self._build_patch(context, [f"from {home} import {name}"], [name], sure=True)

    def _build_patch(
        self, context: RuleContext, lines: list[str], names: list[str], *, sure: bool, rank: int = 0
    ) -> Patch:
        return self.patch(
            context.replace(context.failure.cell_id, [add_import(context.failure.source, "\n".join(lines))]),
            f"Add `{lines[0]}`"
            if len(lines) == 1
            else f"Import {', '.join(names[:3])} and others of {lines[0].split()[1]}",
            f"`{names[0]}` isn't imported." if len(names) == 1 else "These names aren't imported.",
            applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
            why=self.why if sure else "The library has the name, but it may have been meant otherwise.",
            prior=(0.8 if sure else 0.4) - 0.1 * rank,
        )


@cache
def _list_modules() -> frozenset[str]:
    """Aliases of modules, which the rule of missing imports knows."""
    return frozenset(alias for alias, meanings in import_aliases().items() if not meanings[0][1])


def _write_imports(module: str, known: list[str]) -> list[str]:
    names = [f"{read_table('pylab')['renamed'][n]} as {n}" if n in read_table("pylab")["renamed"] else n for n in known]
    wrapped = textwrap.wrap(", ".join(n.replace(" ", "\0") for n in names), 100, break_long_words=False)
    wrapped = [part.replace("\0", " ") for part in wrapped]
    return [f"from {module} import {part.rstrip(',')}" for part in wrapped]


def _list_bound(context: RuleContext) -> set[str]:
    """Names that some cell binds, imports included."""
    return {
        n for c in context.notebook.cells if c.kind == "code" for n in src.find_names(context.source_of(c.id)).binds
    }


def _list_unbound(context: RuleContext) -> set[str]:
    """Names that cells read and that neither a cell nor the state binds."""
    read = {n for c in context.notebook.cells if c.kind == "code" for n in src.find_names(context.source_of(c.id)).uses}
    return read - _list_bound(context) - set(context.state.names)
