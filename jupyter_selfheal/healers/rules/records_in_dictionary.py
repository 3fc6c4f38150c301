"""KEY125: records looked for among a dictionary's keys."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class RecordsInDictionary(Rule):
    """Go through the records that a dictionary holds, not through its keys.

    **Failure** `TypeError: string indices must be integers, not 'str'` at `item["price"]` in `for item in data:`, where `data` is a dictionary.

    **Fix** `for item in data["items"]:`, where one entry alone is a list of records; `for item in data.values():`, where all entries are records.

    **Fix safety** Safe: every key that the loop asks of an item is in every one of these records, and the loop reads nothing else of the item, which a key, a text, does not have.
    Silent where a record lacks one, where several entries are lists of which a record has them, where the notebook makes the entries under keys that it computes, and where the item itself is read.
    """

    code = "KEY125"
    name = "records in a dictionary"
    enames = frozenset({"TypeError"})
    message = re.compile(r"^string indices must be integers")
    applicability = Applicability.SAFE
    why = "Each of these records has the keys that the loop asks for; a key of the dictionary is a text and has none."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for entry in context.list_failing_nodes(ast.Subscript):
            item = entry.value.id if isinstance(entry.value, ast.Name) else ""
            loops = [n for n in context.walk(ast.AST) if isinstance(n, ast.For | ast.comprehension)]
            own = [n for n in loops if isinstance(n.target, ast.Name) and n.target.id == item]
            owner = context.read_plain_chain(own[0].iter) if len(own) == 1 else None
            keys = _list_keys_asked(context, own[0], item) if owner else []
            if not owner or not keys:
                continue
            records = f"type(_) is dict and all(k in _ for k in {keys!r})"
            if context.is_true(
                f"type({owner}) is dict and len({owner}) > 0 and all({records} for _ in {owner}.values())"
            ):
                new = f"{owner}.values()"
            else:
                if _is_filled_by_key(context, owner):
                    continue  # another run has other entries
                some = f"type(v) is list and any({records} for _ in v)"
                if not context.is_true(f"type({owner}) is dict and sum({some} for v in {owner}.values()) == 1"):
                    continue
                lists = f"[k for k, v in {owner}.items() if type(v) is list and v and all({records} for _ in v)]"
                held = context.keys(f"dict.fromkeys({lists} if type({owner}) is dict else ())", calls=True)
                names = [k for k in held.keys if isinstance(k, str)] if held is not None else []
                if len(names) != 1:
                    continue
                quote = context.text(entry.slice)[-1]
                new = f"{owner}[{quote}{names[0]}{quote}]"
            yield self.patch(
                context.replace_here((*context.span(own[0].iter), new)),
                f"Go through `{new}`",
                f"A loop over `{owner}` gives its keys, which are texts; the records are in `{new}`.",
                prior=0.9,
            )
            return


def _list_keys_asked(context: RuleContext, loop: ast.For | ast.comprehension, item: str) -> list[str]:
    """The texts that an item is subscripted with; none where something else is read of it."""
    inside = list(ast.walk(loop)) if isinstance(loop, ast.For) else list(context.walk(ast.AST))
    asked = [n for n in inside if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == item]
    reads = [n for n in inside if isinstance(n, ast.Name) and n.id == item and isinstance(n.ctx, ast.Load)]
    keys = [n.slice.value for n in asked if isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str)]
    return list(dict.fromkeys(keys)) if len(keys) == len(asked) == len(reads) else []


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
