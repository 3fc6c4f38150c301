"""KEY125: records looked for among a dictionary's keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.model import Applicability, Patch

_Asked = list[ast.Subscript | ast.Attribute]


class RecordsInDictionary(Rule):
    """Go through the records that a dictionary holds, not through its keys.

    **Failure** `TypeError: string indices must be integers, not 'str'` at `item["price"]`, or `AttributeError: 'str' object has no attribute 'price'` at `item.price`, in `for item in data:`, where `data` is a dictionary.

    **Fix** `for item in data["items"]:`, where one entry alone is a list of records; `for item in data.values():`, where all entries are records; `data[item].price`, where the key itself is read too.

    **Fix safety** Safe: every key, or attribute, that the loop asks of an item is in every one of these records, and the loop reads nothing else of the item, which a key does not have. Unsafe where the item itself is read too: the key or the record may be meant there.
    Silent where a record lacks one, where several entries are lists of which a record has them, and where the notebook makes the entries under keys that it computes.
    """

    code = "KEY125"
    name = "records in a dictionary"
    enames = frozenset({"TypeError", "AttributeError"})
    message = re.compile(
        r"^string indices must be integers|^'(?:str|int|float|tuple)' object (?:has no attribute|is not subscriptable)"
    )
    applicability = Applicability.SAFE
    why = "Each of these records has what the loop asks for; a key of the dictionary has none of it."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for entry in context.list_failing_nodes(ast.Subscript, ast.Attribute):
            if not isinstance(entry, ast.Subscript | ast.Attribute):
                continue
            item = entry.value.id if isinstance(entry.value, ast.Name) else ""
            loops = [n for n in context.walk(ast.AST) if isinstance(n, ast.For | ast.comprehension)]
            own = [n for n in loops if isinstance(n.target, ast.Name) and n.target.id == item]
            owner = context.read_plain_chain(own[0].iter) if len(own) == 1 else None
            asked, reads = _list_asked(context, own[0], item) if owner else ([], 0)
            if not owner or entry not in asked:
                continue
            records = " and ".join(dict.fromkeys(map(_write_question, asked)))
            about = f"A loop over `{owner}` gives its keys; "
            are_records = f"type({owner}) is dict and len({owner}) > 0 and all({records} for _ in {owner}.values())"
            is_read = reads > len(asked)
            if context.is_true(are_records):
                new = f"{owner}.values()"
                if is_read:
                    yield self._look_records_up(context, asked, f"{owner}[{item}]", about)
            elif is_read or not (new := _find_entry_of_records(context, owner, records)):
                continue
            yield self.patch(
                context.replace_here((*context.span(own[0].iter), new)),
                f"Go through `{new}`",
                f"{about}the records are in `{new}`.",
                applicability=Applicability.UNSAFE if is_read else Applicability.SAFE,
                why="The key may be meant where the item itself is read." if is_read else self.why,
                prior=0.6 if is_read else 0.9,
            )
            return

    def _look_records_up(self, context: RuleContext, asked: _Asked, looked_up: str, about: str) -> Patch:
        """``data[item].price``, where the loop reads the key itself, too."""
        return self.patch(
            context.replace_here(*((*context.span(n.value), looked_up) for n in asked)),
            f"Look up `{looked_up}`",
            f"{about}what it asks for is in `{looked_up}`.",
            applicability=Applicability.UNSAFE,
            why="Where the item itself is read, the record may be meant as well.",
            prior=0.85,
        )


def _find_entry_of_records(context: RuleContext, owner: str, records: str) -> str:
    """The one entry that is a list of records which all have what is asked for; empty where there is none, or another run has other entries."""
    some = f"type(v) is list and any({records} for _ in v)"
    if _is_filled_by_key(context, owner) or not context.is_true(
        f"type({owner}) is dict and sum({some} for v in {owner}.values()) == 1"
    ):
        return ""
    lists = f"[k for k, v in {owner}.items() if type(v) is list and v and all({records} for _ in v)]"
    held = context.keys(f"dict.fromkeys({lists} if type({owner}) is dict else ())", calls=True)
    names = [k for k in held.keys if isinstance(k, str)] if held is not None else []
    return f"{owner}[{quote_alike(names[0], context.source)}]" if len(names) == 1 else ""


def _list_asked(context: RuleContext, loop: ast.For | ast.comprehension, item: str) -> tuple[_Asked, int]:
    """Where an item is subscripted with a text, or asked for what no text has; and how often it is read at all."""
    inside = list(ast.walk(loop)) if isinstance(loop, ast.For) else list(context.walk(ast.AST))
    reads = [n for n in inside if isinstance(n, ast.Name) and n.id == item and isinstance(n.ctx, ast.Load)]
    asked = [
        n
        for n in inside
        if isinstance(n, ast.Subscript | ast.Attribute)
        and n.value in reads
        and (not hasattr(str, n.attr) if isinstance(n, ast.Attribute) else _read_key(n))
    ]
    return asked, len(reads)


def _read_key(node: ast.Subscript) -> str:
    """The text that something is subscripted with; empty where it is none."""
    return node.slice.value if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str) else ""


def _write_question(asked: ast.Subscript | ast.Attribute) -> str:
    """Whether a record ``_`` has what is asked of an item."""
    if isinstance(asked, ast.Attribute):
        return f"hasattr(_, {asked.attr!r})"
    return f"type(_) is dict and {_read_key(asked)!r} in _"


def _is_filled_by_key(context: RuleContext, owner: str) -> bool:
    """Whether the notebook makes entries under keys that it computes: ``groups[row["day"]] = …``, ``groups.setdefault(day, [])``."""
    for node in context.walk_notebook():
        match node:
            case ast.Subscript(of, key, ast.Store()) | ast.Call(ast.Attribute(of, "setdefault"), [key, *_]):
                if ast.unparse(of) == owner and not isinstance(key, ast.Constant):
                    return True
            case ast.Assign([of], ast.DictComp()) if ast.unparse(of) == owner:
                return True
    return False
