"""API219: graphs and sessions of TensorFlow 1, which are in `tensorflow.compat.v1` since."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_replayed_cells
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"^module 'tensorflow(?:\._api\.v2)?(?:\.[\w.]+)?' has no attribute '(\w+)'")
OF_GRAPHS = frozenset(
    {"placeholder", "placeholder_with_default", "Session", "InteractiveSession", "get_variable", "variable_scope", "trainable_variables",
     "global_variables_initializer", "initialize_all_variables", "local_variables_initializer", "reset_default_graph", "get_default_graph",
     "ConfigProto", "GPUOptions", "get_collection", "sparse_placeholder", "assign", "layers",
     "GradientDescentOptimizer", "AdamOptimizer", "RMSPropOptimizer", "AdagradOptimizer", "MomentumOptimizer", "merge_all", "FileWriter"}
)  # fmt: skip
"""What there is for graphs alone, or for what is built in one."""
OF_SECOND = frozenset({"GradientTape", "function", "keras", "executing_eagerly"})
"""What says that a notebook was written for TensorFlow 2, or trains by Keras, which has no graphs any more."""


class GraphOfTensorflow(Rule):
    """Import the TensorFlow that a graph was written for.

    **Failure** `AttributeError: module 'tensorflow' has no attribute 'placeholder'`, `'Session'`, `'get_variable'`; `tf.train` without `AdamOptimizer`.

    **Fix** `import tensorflow.compat.v1 as tf` with `tf.disable_v2_behavior()` behind it, for `import tensorflow as tf`; the cells above that use it run again.

    **Fix safety** Safe: it is the same interface with the same behaviour, and TensorFlow's guide names these two lines for programs that are to run unchanged. Silent where
    the installed release has no such name there, where the notebook uses `contrib`, Keras, `GradientTape` or `tf.function`, and where it is imported in another way.
    """

    code = "API219"
    name = "graph of TensorFlow 1"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    message = MISSING
    applicability = Applicability.SAFE
    why = "TensorFlow's guide names these lines for what was written for TensorFlow 1 (https://www.tensorflow.org/guide/migrate)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MISSING.search(context.failure.evalue)
        wanted = told[1] if told else ""
        alias = next((n for n in _list_aliases(context) if _has_in_first(context, n, wanted)), "")
        if wanted not in OF_GRAPHS or not alias or _is_of_second(context):
            return
        changes: dict[str, list[Splice]] = {}
        cells = [
            *context.notebook.list_code_before(context.failure.cell_id),
            context.notebook.cell(context.failure.cell_id),
        ]
        uses = [c for c in cells[:-1] if not c.failed and alias in src.find_names(c.source).uses]
        also = frozenset[str]().union(*(src.find_names(c.source).binds for c in uses))
        again = {context.failure.cell_id, *list_replayed_cells(context, also)}
        for cell_id in (c.id for c in cells if c.id in again):
            source = context.source_of(cell_id)
            imports = [n for n in src.walk(source) if isinstance(n, ast.Import) and _name_first(n) == alias]
            for node in imports:
                text = f"import tensorflow.compat.v1 as {alias}"
                text += "" if changes else f"\n{' ' * node.col_offset}{alias}.disable_v2_behavior()"
                changes.setdefault(cell_id, []).append((*src.find_span(source, node), text))
        edits = change_and_replay(context, changes, also)
        if edits:
            yield self.patch(
                edits,
                f"Import `tensorflow.compat.v1` as `{alias}`",
                f"`{wanted}` is for graphs, which TensorFlow 2 has in `compat.v1`.",
                prior=0.9,
            )


def _name_first(node: ast.Import) -> str:
    """What ``import tensorflow as tf``, with nothing beside it, is called; empty for any other import."""
    only = node.names[0] if len(node.names) == 1 else None
    return only.asname or "" if only is not None and only.name == "tensorflow" else ""


def _list_aliases(context: RuleContext) -> list[str]:
    names = [_name_first(n) for n in context.walk_notebook() if isinstance(n, ast.Import)]
    return [n for n in dict.fromkeys(names) if n]


def _has_in_first(context: RuleContext, alias: str, wanted: str) -> bool:
    """Whether the name that failed is in ``compat.v1``, in the same place."""
    nodes = (n for n in context.list_failing_nodes(ast.Attribute) if isinstance(n, ast.Attribute) and n.attr == wanted)
    chains = [context.text(n) for n in nodes]
    return any(
        c.startswith(f"{alias}.") and re.fullmatch(r"[\w.]+", c) and context.is_true(f"hasattr({alias}.compat.v1{c[len(alias) :].rpartition('.')[0]}, {wanted!r})")
        for c in chains
    )  # fmt: skip


def _is_of_second(context: RuleContext) -> bool:
    """Whether the notebook uses what TensorFlow 2 alone has, Keras, or `contrib`, which is in neither."""
    for node in context.walk_notebook():
        if isinstance(node, ast.Attribute) and node.attr in {*OF_SECOND, "contrib"}:
            return True
        if isinstance(node, ast.Import) and any(a.name.split(".")[0] == "keras" for a in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and {"keras", "contrib"} & set((node.module or "").split(".")):
            return True
    return False
