"""What speaks for a change apart from that nothing is raised any more.

Where an exception is all that was wrong and the checks only ask for a form, most changes with which the cell runs are no fix: a row of the data
left out, half of a list, another number or name that happens to be there, a condition under which the failing part is not reached. Only those
are shown that the exception itself gives a reason for: a place one too far, a case that a recursion lacks, a name for one that is like it,
a value of the wrong kind made one of the right kind, a question about what failed right where it failed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from jupyter_selfheal.inside.search.changed_parts import Part, list_changed_parts
from jupyter_selfheal.inside.search.formal_checks import find_formal_check
from jupyter_selfheal.inside.search.guarded_parts import asks_for_end, is_guard
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.search.reasons import (
    CALLED,
    CONVERT,
    KINDS,
    LOSE,
    PLACES,
    are_alike,
    asks_for_entry,
    brings_nothing,
    can_be_exchanged,
    has_same_items,
    is_data,
    is_exchange,
    is_near_comparison,
    is_near_value,
    is_plain_default,
    is_unwrapped,
    is_wrapped,
    is_written_down,
    share_word,
)
from jupyter_selfheal.inside.tree_names import (
    list_bound_names,
    list_defined_names,
    list_read_names,
    read_called_name,
    walk,
)

STEP = 0.4
"""What remains of the weight of another step, where a recursion comes to no end."""
_UNBOUND = frozenset({"NameError", "UnboundLocalError"})


class Grounds:
    """What speaks for the changes of a program in a namespace; ``is_asked`` is False where something that is checked tells them apart anyway."""

    def __init__(self, program: Program, ns: Mapping[str, Any]) -> None:
        self.program = program
        imported = (
            n for u in program.units for n in walk(parse_once(u.text)) if isinstance(n, ast.Import | ast.ImportFrom)
        )
        self.called = frozenset(n for n, value in ns.items() if callable(value) or isinstance(value, ModuleType)).union(
            *map(list_defined_names, imported)
        )
        self.formal = find_formal_check(program)
        self.is_asked = bool(self.formal) and program.error not in _UNBOUND
        self._unread: frozenset[str] | None = None

    def has_ground(self, texts: Mapping[int, str], is_anew: bool = False) -> bool:
        """Whether something speaks for the new texts of units; of a whole body written anew nothing but its checks can."""
        if not self.is_asked:
            return not self._changes_measure(texts)
        if is_anew:
            return False
        return all(self._is_founded(self.program.units[n].text, text) for n, text in texts.items())

    def _changes_measure(self, texts: Mapping[int, str]) -> bool:
        """Whether data are written otherwise after an exception that a check itself reads: it cannot vouch for them, whatever it tells."""
        changed = (parse_once(self.program.units[n].text).body[0] for n in texts if self.program.error)
        checked = self._list_checked()
        return any(
            isinstance(statement, ast.Assign)
            and is_written_down(statement.value)
            and list_read_names(statement.value) <= self.called
            and list_bound_names(statement) & checked
            for statement in changed
        )

    def _list_checked(self) -> set[str]:
        """The names that the checks read."""
        texts = [*self.program.checks, *(u.text for u in self.program.units if u.role == CHECK)]
        return set[str]().union(*(list_read_names(parse_once(text)) for text in texts))

    def weigh(self, texts: Mapping[int, str]) -> float:
        """What remains of the weight of new texts of units (0–1): a recursion without an end lacks a case rather than that its steps are wrong."""
        if not self.is_asked or self.program.error != "RecursionError":
            return 1.0
        parts = (
            p
            for n, text in texts.items()
            for p in list_changed_parts(parse_once(self.program.units[n].text), parse_once(text))
        )
        return 1.0 if all(isinstance(p.before, ast.Module) for p in parts) else STEP

    def _is_founded(self, old: str, new: str) -> bool:
        parts = list_changed_parts(parse_once(old), parse_once(new))
        if is_exchange(parts):
            return not is_data(parts[0]) and can_be_exchanged(parts[0], self.program.error)
        return bool(parts) and all(self._has_reason(part, old) for part in parts)

    def _has_reason(self, part: Part, old: str) -> bool:
        before, after, error = part.before, part.after, self.program.error
        if isinstance(before, ast.Module):
            return is_guard(part, error)
        if isinstance(after, ast.BoolOp | ast.IfExp | ast.comprehension):
            return asks_for_end(part, self.called, error)
        match before, after:
            case ast.cmpop(), ast.cmpop():
                return is_near_comparison(part, error)
            case (ast.And() | ast.Or(), ast.boolop()):
                return True
            case ast.operator(), ast.operator():
                return error == "TypeError" or isinstance(after, ast.MatMult)
            case ast.Constant(value=one), ast.Constant(value=two):
                return is_near_value(part, (one, two), error)
            case ast.Name(one), ast.Name(two):
                return self._is_meant_name(part, (one, two), old)
            case ast.Attribute(attr=one), ast.Attribute(attr=two) if ast.dump(before.value) == ast.dump(after.value):
                return are_alike(one, two) or (error == "AttributeError" and two not in LOSE)
            case ast.keyword(arg=str(one)), ast.keyword(arg=str(two)):
                return one != two
            case (ast.List() | ast.Tuple() | ast.Set(), _) if type(before) is type(after):
                return has_same_items(before, after)
            case ast.Call(), ast.Call() if ast.dump(before.func) == ast.dump(after.func):
                return self._is_call_amended(before, after)
        found = is_wrapped(part, error) or is_unwrapped(part, error) or asks_for_entry(part, error)
        return found or (error in KINDS and brings_nothing(part, old))

    def _is_meant_name(self, part: Part, names: tuple[str, str], old: str) -> bool:
        """``y_train`` for ``y``; what is bound and read nowhere; another place of the same loops."""
        one, two = names
        parent = part.parents[-1] if part.parents else None
        if isinstance(parent, ast.Call) and parent.func is part.before:
            is_kind = self.program.error in KINDS and {one, two} <= CONVERT
            return is_kind or are_alike(one, two)
        if share_word(one, two) or two in self._list_unread():
            return True
        loops = {
            name
            for loop in walk(parse_once(old))
            if isinstance(loop, ast.For | ast.comprehension)
            for name in list_bound_names(loop.target)
        }
        return self.program.error in PLACES and isinstance(parent, ast.Subscript) and {one, two} <= loops

    def _list_unread(self) -> frozenset[str]:
        """Names that the program binds and reads nowhere."""
        if self._unread is None:
            trees = [parse_once(u.text) for u in self.program.units]
            read = set[str]().union(*map(list_read_names, trees))
            self._unread = frozenset(set[str]().union(*map(list_defined_names, trees)) - read)
        return self._unread

    def _is_call_amended(self, before: ast.Call, after: ast.Call) -> bool:
        """An argument more or less, where the exception is of how it is called; a count that begins one later."""
        error = self.program.error
        if read_called_name(before) in CALLED and len(before.args) < len(after.args):
            return error in PLACES or error == "ValueError"
        more = [k for k in after.keywords if ast.dump(k) not in set(map(ast.dump, before.keywords))]
        if len(after.args) == len(before.args) and len(more) == 1 and len(after.keywords) > len(before.keywords):
            return error in ("ValueError", "TypeError") and is_plain_default(more[0].value)
        if len(after.args) + len(after.keywords) < len(before.args) + len(before.keywords):
            axis = {k.arg for k in before.keywords} - {k.arg for k in after.keywords}
            return error == "TypeError" or (error == "AxisError" and axis == {"axis"})
        return False
