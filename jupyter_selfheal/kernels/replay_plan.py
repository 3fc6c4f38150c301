"""Which earlier cells make the state that a request needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source
from jupyter_selfheal.model import JSON, Run, Step

_DYNAMIC = re.compile(
    r"(?<![.\w])(globals|locals|vars|dir|eval|exec|get_ipython)\s*\(|^\s*%(who|whos|store|reset)\b", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class PastCell:
    """A cell that was run to reach a state. ``failed``: it raised, and does so again. ``seconds`` is how long it took, if it is known."""

    code: str
    cell_id: str = ""
    expensive: bool = False
    failed: bool = False
    seconds: float | None = None


def list_needed_cells(recipe: Sequence[PastCell], steps: Sequence[Step]) -> tuple[int, ...]:
    """Indices of the earlier cells that must run again for these steps, in order.

    Names are read off the cells, and off the texts in the arguments of probes. Where they cannot be (a question about the
    state as a whole, ``eval``), every cell is needed that is not expensive. A cell that failed is always needed: it made
    the state what it is.
    """
    codes = [step.code for step in steps if isinstance(step, Run)]
    failed = {n for n, past in enumerate(recipe) if past.failed}
    texts = [text for step in steps if not isinstance(step, Run) for text in _iterate_texts(step.argument)]
    needed_names: set[str] = set()
    for code in [*codes, *texts, *(recipe[n].code for n in failed)]:
        names = source.find_names(code)
        needed_names |= names.uses | names.changes | names.deletes
    kept = failed.union(source.find_backward_slice([past.code for past in recipe], needed_names))
    if not codes or any(_DYNAMIC.search(code) for code in codes):
        kept |= {n for n, past in enumerate(recipe) if not past.expensive}
    return tuple(sorted(kept))


def describe_replay(recipe: Sequence[PastCell], cells: Sequence[int]) -> str:
    """What was run again, for the record; empty where there was nothing to run."""
    if not recipe:
        return ""
    names = ", ".join(_name_cell(recipe, n) for n in cells) or "none"
    costly = ", ".join(_name_cell(recipe, n) for n in cells if recipe[n].expensive)
    words = f"state reconstructed by running {len(cells)} of {len(recipe)} earlier cells again: {names}"
    return words + (f"; among them expensive: {costly}" if costly else "")


def _name_cell(recipe: Sequence[PastCell], at: int) -> str:
    return recipe[at].cell_id or f"#{at + 1}"


def _iterate_texts(value: JSON) -> Iterable[str]:
    """Every text in a JSON value: expressions and names that a probe is asked about."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _iterate_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iterate_texts(inner)
