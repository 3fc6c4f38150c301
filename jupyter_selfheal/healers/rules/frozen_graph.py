"""ATT129: a part of a graph that is changed, and is a view of the whole one since networkx 2."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch


class FrozenGraph(Rule):
    """Copy a part of a graph that is changed.

    **Failure** `NetworkXError: Frozen graph can't be modified` at `part.remove_node(3)`, after `part = graph.subgraph(nodes)`.

    **Fix** `part = graph.subgraph(nodes).copy()`.

    **Fix safety** Safe: until networkx 2 `subgraph` gave a graph of its own. Unsafe where attributes are written at its nodes or edges, which the whole graph shared. Silent for a graph that `freeze` froze, which was meant.
    """

    code = "ATT129"
    name = "part of a graph that is changed"
    stage = Stage.CHANGELOG
    enames = frozenset({"NetworkXError"})
    message = re.compile(r"^Frozen graph can't be modified")
    applicability = Applicability.SAFE
    why = "Until networkx 2 `subgraph` gave a graph of its own (https://networkx.org/documentation/stable/release/migration_guide_from_1.x_to_2.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            names = [n.id for n in (owner, *call.args[:1]) if isinstance(n, ast.Name)]
            for name in names:
                home = context.find_last_assignment(name)
                made = home[2].value if home is not None else None
                if home is None or not isinstance(made, ast.Call) or read_last_name(made.func) not in PARTS:
                    continue
                end = src.find_span(home[1], made)[1]
                written = re.compile(
                    rf"\b{name}\.(?:node|nodes|edges)\[|\b{name}\[.+\]\s*=|set_(?:node|edge)_attributes\(\s*{name}\b"
                )
                shared = any(written.search(c.source) for c in context.notebook.cells if c.kind == "code")
                yield self.patch(
                    context.replace(home[0], [(end, end, ".copy()")]),
                    f"Copy what `{name}` is made of: `.copy()`",
                    f"`{name}` is a view of another graph, which is not changed through it.",
                    applicability=Applicability.UNSAFE if shared else self.applicability,
                    why="What is written at its nodes was at those of the whole graph, too." if shared else self.why,
                    prior=0.95,
                )
                return


PARTS = frozenset({"subgraph", "edge_subgraph"})
"""What gives a view of a graph."""
