"""TEN102: a layer or a loss of PyTorch that was given its data as it was made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch


class LayerGivenData(Rule):
    """Make the layer or the loss before it is given its data.

    **Failure** `RuntimeError: Boolean value of Tensor with more than one value is ambiguous` at `nn.CrossEntropyLoss(model(x), y)`; `TypeError:
    unsupported operand type(s) for +: 'ReLU' and 'int'` where `h = nn.ReLU(x)` stands above.

    **Fix** `nn.CrossEntropyLoss()(model(x), y)`, `h = nn.ReLU()(x)`.

    **Fix safety** Safe: the class takes options alone and is given several tensors, or one tensor for an activation. Silent for one tensor given to a
    loss, which may be its weights, and for layers that need sizes.
    """

    code = "TEN102"
    name = "layer given data as it is made"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError", "TypeError", "AttributeError"})
    applicability = Applicability.SAFE
    why = "The class takes options; what is made of it takes the tensors."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if not any("torch" in c.source for c in context.notebook.cells):
            return  # its messages are those of everything else, too: nothing is asked of a state without PyTorch
        for call in context.list_calls_at_failure()[:4]:
            if _is_given_data(context, call):
                yield self._make_first(context, context.cell_id, call)
                return
        for node in context.list_failing_nodes(ast.Name)[:6]:
            made = context.find_last_assignment(node.id) if isinstance(node.ctx, ast.Load) else None
            if made is None or not isinstance(made.node.value, ast.Call):
                continue
            if context.describe_all([node])[0].is_a("torch.Module") and _is_given_data(
                context.view_cell(made.cell_id), made.node.value
            ):
                yield self._make_first(context, made.cell_id, made.node.value)
                return

    def _make_first(self, context: RuleContext, cell_id: str, call: ast.Call) -> Patch:
        view = context.view_cell(cell_id)
        name, end = view.text(call.func), view.span(call.func)[1]
        return self.patch(
            change_and_replay(context, {cell_id: [(end, end, "()")]}),
            f"Make `{name}()` first",
            f"`{name}` is a class: what it makes is given the data.",
            prior=0.95,
        )


def _is_given_data(context: RuleContext, call: ast.Call) -> bool:
    """Whether a class of layers that needs no argument is given tensors: several of them, or one where it takes no tensor."""
    if not call.args or any(isinstance(a, ast.Starred) for a in call.args):
        return False
    function = context.describe(call.func) if context.read_plain_chain(call.func) else None
    if function is None or not function.is_class or not function.path.startswith("torch.nn."):
        return False
    signature = context.signature(call.func)
    if signature is None or not signature.needs_nothing:
        return False
    tensors = [g.is_a("torch.Tensor") for g in context.describe_all(call.args, calls=True)]
    return all(tensors[:2]) if len(tensors) > 1 else tensors[0] and signature.names()[:1] != ["weight"]
