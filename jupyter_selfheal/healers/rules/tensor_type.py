"""TEN103: a tensor of numbers of another type than the operation takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.model import Applicability, Patch

DIFFERENT = re.compile(
    r"must have the same dtype, but got \w+ and \w+|to have the same dtype, but got: \w+ != \w+|expected scalar type \w+ but found \w+|"
    r"Found dtype \w+ but expected \w+|Input dtype must be either a floating point|softmax\w*\" not implemented for 'Long'|Input type \(.*\) and (?:bias|weight) type \(.*\) should be the same"
)
WHOLE = re.compile(
    r"expected target dtype to be Long|expected scalar type Long but found|scalar types: Long, Int; but got|used as indices must be long|"
    r"nll_loss\w* not implemented for|not implemented for 'Int'|^one_hot is only applicable to index tensor|must be 64-bit integer"
)
"""What is said where classes or places are wanted."""
CASTS = ("float", "double", "long", "int", "half")
CLASSES = ("cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss")


class TensorType(Rule):
    """Give the tensor the type of number that the operation takes.

    **Failure** `RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float`, `expected scalar type Long but found Float`,
    `IndexError: tensors used as indices must be long, int, byte or bool tensors`.

    **Fix** `x.float()` for data of NumPy's that goes into a layer or meets other floats, `y.long()` for classes and places.

    **Fix safety** Safe for classes and places that are whole numbers already. Unsafe otherwise: the layer could be made for the other type.
    """

    code = "TEN103"
    name = "type of a tensor"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError", "IndexError", "TypeError", "NotImplementedError"})
    message = re.compile(f"{DIFFERENT.pattern}|{WHOLE.pattern}")
    applicability = Applicability.UNSAFE
    why = "The layer could be made for the other type; the numbers are the same but for rounding."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if WHOLE.search(context.failure.evalue):
            found = _find_places(context)
            kind, told = "long", "Classes and places are whole numbers of the type long."
        elif (exchanged := self._exchange(context)) is not None:
            yield exchanged
            return
        else:
            found = _find_given_doubles(context) or _find_doubles(context)
            kind, told = "float", "The tensor is not of the type that a layer or another tensor has."
        if found is None:
            return
        view, node, is_sure = found
        text = _undo_cast(view, node, kind) or f"{view.operand(node)}.{kind}()"
        yield self.patch(
            context.replace(view.cell_id, [(*view.span(node), text)]),
            f"Change `{view.text(node)}` to `{text}`",
            told,
            applicability=Applicability.SAFE if is_sure else Applicability.UNSAFE,
            why="They are whole numbers already, and only their type changes." if is_sure else self.why,
            prior=0.9,
        )

    def _exchange(self, context: RuleContext) -> Patch | None:
        """A loss that is given the classes first, and the scores second."""
        for call in context.list_calls_at_failure()[:2]:
            if len(call.args) < 2 or not _is_of_classes(context, call):
                continue
            one, two = context.describe_all(call.args[:2], calls=True)
            if one.dtype == "torch.int64" and one.ndim == 1 and two.dtype.startswith("torch.float") and two.ndim == 2:
                first, second = call.args[:2]
                return self.patch(
                    context.replace_here(
                        (*context.span(first), context.text(second)), (*context.span(second), context.text(first))
                    ),
                    f"Give `{context.text(second)}` first",
                    "The loss takes the scores first, then the classes.",
                    applicability=Applicability.SAFE,
                    why="Only the second is a table of scores, and only the first can be classes.",
                    prior=0.95,
                )
        return None


def _undo_cast(context: RuleContext, node: ast.expr, kind: str) -> str:
    """What stands before a cast to the other type (``y.float()``), where that has the type already; empty where it has not."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args and not node.keywords
    ):
        return ""
    before = context.describe_all([node.func.value], calls=True)[0].dtype if node.func.attr in CASTS else ""
    return context.text(node.func.value) if before == f"torch.{'int64' if kind == 'long' else 'float32'}" else ""


def _describe_operands(context: RuleContext) -> list[tuple[ast.expr, ObjectInfo, ast.AST]]:
    """Tensors of the failing operation, with the call or operator that they are given to; those given first come first."""
    operands: list[tuple[ast.expr, ast.AST]] = []
    for node in context.list_failing_nodes(ast.Call, ast.BinOp, ast.Subscript):
        if isinstance(node, ast.Call):
            operands += [(a, node) for a in (*node.args, *(k.value for k in node.keywords))]
            if isinstance(node.func, ast.Attribute):
                operands.append((node.func.value, node))
        elif isinstance(node, ast.BinOp):
            operands += [(node.left, node), (node.right, node)]
        elif isinstance(node, ast.Subscript):
            operands.append((node.slice, node))
    described = context.describe_all([o for o, _ in operands[:12]], calls=True)
    return [(o, info, at) for (o, at), info in zip(operands, described, strict=False) if info.is_a("torch.Tensor")]


def _find_given_doubles(context: RuleContext) -> tuple[RuleContext, ast.expr, bool] | None:
    """What the failing statement gives to a function of the notebook (a model's ``forward``) in which the types meet."""
    if find_function(context.source, context.line) is None or context.failing_statement is None:
        return None
    view = context.view_cell(context.failure.cell_id)
    calls = [n for n in ast.walk(context.failing_statement) if isinstance(n, ast.Call)]
    names = [a for c in calls for a in c.args if isinstance(a, ast.Name) and a.id not in context.state.locals]
    tensors = zip(names, context.describe_all([n.id for n in names]), strict=False)
    return next(((view, n, False) for n, i in tensors if _is_data(i) and i.dtype == "torch.float64"), None)


def _is_data(info: ObjectInfo) -> bool:
    return info.is_a("torch.Tensor") and not info.is_a("torch.Parameter")


def _find_doubles(context: RuleContext) -> tuple[RuleContext, ast.expr, bool] | None:
    """The tensor of doubles (or of whole numbers) that meets floats; data rather than parameters."""
    tensors = [(n, i) for n, i, _ in _describe_operands(context) if _is_data(i)]
    for dtype in ("torch.float64", "torch.int64", "torch.int32", "torch.uint8", "torch.bool"):
        found = next((n for n, info in tensors if info.dtype == dtype), None)
        if found is not None:
            return context, found, False
    return None


def _find_places(context: RuleContext) -> tuple[RuleContext, ast.expr, bool] | None:
    """The tensor of classes or places that is not of the type long: of a loss its target, which comes second."""
    for node, info, at in _describe_operands(context):
        if info.dtype in ("torch.int64", "torch.bool") or isinstance(at, ast.BinOp):
            continue
        if isinstance(at, ast.Call) and _is_of_classes(context, at) and at.args[:1] == [node]:
            continue  # the scores, which are floats
        text = context.operand(node)
        whole = info.dtype.startswith(("torch.int", "torch.uint")) or context.is_true(
            f"bool(({text} == {text}.long()).all())"
        )
        if whole and info.ndim <= 1:
            return context, node, True
        if whole:
            return context, node, False
    return None


def _is_of_classes(context: RuleContext, call: ast.Call) -> bool:
    made = context.describe_all([call.func], calls=True)[0]
    return made.is_a(*CLASSES) or made.name in CLASSES
