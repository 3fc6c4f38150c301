"""TEN107: what PyTorch's own message says to use."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice, append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

VIEW = re.compile(r"^view size is not compatible with input tensor's size and stride")
NO_PLACES = re.compile(r"^invalid index of a 0-dim tensor")
MANY = re.compile(r"^a Tensor with \d+ elements cannot be converted to Scalar")
PAIR = re.compile(r"^'torch\.return_types\.\w+' object has no attribute '(\w+)'")
NO_TEXT = re.compile(r"argument 'dtype' (?:\(position \d+\) )?must be torch\.dtype, not str")
GPU = re.compile(r"device type at start of device string: gpu\b")
AXES = re.compile(r"^transpose\(\) (?:missing 2 required positional argument|received an invalid combination)")
PICKLED = re.compile(r"^Weights only load failed")
SHARES = re.compile(r"(?i)acc|share|rate|mean|avg|precision|recall")
"""What shares are called: of truths the mean is one, and the sum a number."""


class Found(NamedTuple):
    """A change, its cause, and what may be wrong with it (empty: nothing)."""

    splice: Splice
    cause: str
    doubt: str = ""


class TensorMessage(Rule):
    """Say what PyTorch's message names.

    **Failure** `RuntimeError: view size is not compatible with input tensor's size and stride … Use .reshape(...) instead.`, `IndexError: invalid index
    of a 0-dim tensor. Use tensor.item()`, `a Tensor with 8 elements cannot be converted to Scalar`, `'torch.return_types.max' object has no attribute
    'numpy'`, `argument 'dtype' must be torch.dtype, not str`, `transpose() missing 2 required positional argument`, `Weights only load failed`.

    **Fix** `.reshape(...)`, `loss.item()` for `loss.data[0]`, `.sum().item()` or `.float().mean().item()`, `.values` of a pair, `torch.float32`, `.T` of
    two dimensions, `weights_only=False` for a file that the notebook wrote itself.

    **Fix safety** Safe where the values are what was asked for: `.reshape`, `.item()`, a type, `.T`. Unsafe where one number is to be made of many, for a
    pair, whose places could be meant, for a device, and for a file, which can run any code. Silent for a file that the notebook did not write.
    """

    code = "TEN107"
    name = "what PyTorch's message names"
    stage = Stage.LIBRARY
    enames = frozenset({"RuntimeError", "IndexError", "AttributeError", "TypeError", "UnpicklingError"})
    message = re.compile("|".join(p.pattern for p in (VIEW, NO_PLACES, MANY, PAIR, NO_TEXT, GPU, AXES, PICKLED)))
    applicability = Applicability.SAFE
    why = "The message names it, and the values are the same."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        read = next((read for pattern, read in READERS.items() if pattern.search(message)), None)
        for rank, found in enumerate(read(context) if read is not None else ()):
            yield self.patch(
                context.replace_here(found.splice),
                f"Use `{found.splice[2].strip('., ')}`",
                found.cause,
                applicability=Applicability.UNSAFE if found.doubt else Applicability.SAFE,
                why=found.doubt or self.why,
                prior=(0.75 if found.doubt else 0.93) - rank * 0.1,
            )


def _read_view(context: RuleContext) -> Iterator[Found]:
    for node in context.list_failing_nodes(ast.Attribute):
        if node.attr == "view" and context.is_called(node):
            splice = (*context.find_attribute_span(node), "reshape")
            yield Found(splice, "`view` cannot lay these values out anew, as `reshape` does.")
            return


def _read_number(context: RuleContext) -> Iterator[Found]:
    for use in context.list_failing_nodes(ast.Subscript):
        if isinstance(use.slice, ast.Constant) and use.slice.value == 0:
            owner = use.value
            if isinstance(owner, ast.Attribute) and owner.attr == "data":
                owner = owner.value
            yield Found((*context.span(use), f"{context.operand(owner)}.item()"), "The tensor is one number.")
            return


def _read_many(context: RuleContext) -> Iterator[Found]:
    """One number of many: of truths their share or their number."""
    for node in context.list_failing_nodes(ast.Attribute):
        if node.attr != "item":
            continue
        start = context.find_attribute_span(node)[0]
        is_truth = context.describe_all([node.value], calls=True)[0].dtype == "torch.bool"
        names = [read_last_name(t) for n in context.list_nodes_on_line(ast.Assign) for t in n.targets]
        forms = ["float().mean().", "sum()."] if is_truth else ["mean().", "sum()."]
        is_divided = any(
            node in ast.walk(n.left) for n in context.list_nodes_on_line(ast.BinOp) if isinstance(n.op, ast.Div)
        )
        if is_divided or (is_truth and not any(SHARES.search(n) for n in names)):
            forms.reverse()
        for form in forms:
            yield Found((start, start, form), "It is not one number but many.", "Another number could be made of them.")
        return


def _read_pair(context: RuleContext) -> Iterator[Found]:
    told = PAIR.search(context.failure.evalue)
    for node in context.list_failing_nodes(ast.Attribute):
        if told is not None and node.attr == told[1]:
            start = context.find_attribute_span(node)[0]
            cause = "With a dimension it gives the values and their places."
            yield Found((start, start, "values."), cause, "The places could be meant: `.indices`.")
            return


def _read_type(context: RuleContext) -> Iterator[Found]:
    for call in context.list_calls_at_failure():
        for given in (k.value for k in call.keywords if k.arg == "dtype" and isinstance(k.value, ast.Constant)):
            known = context.reference(f"torch.{given.value!s}")
            if known is not None and not known.import_line:
                yield Found((*context.span(given), known.text), "PyTorch has types of its own, which no text names.")
                return


def _read_device(context: RuleContext) -> Iterator[Found]:
    for call in context.list_calls_at_failure():
        for given in call.args:
            if isinstance(given, ast.Constant) and str(given.value).startswith("gpu"):
                text = context.text(given).replace("gpu", "cuda", 1)
                yield Found((*context.span(given), text), "PyTorch calls it cuda.", "There may be no such device.")
                return


def _read_axes(context: RuleContext) -> Iterator[Found]:
    for call in context.list_calls_at_failure():
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "transpose" or call.args:
            continue
        if context.describe_all([function.value], calls=True)[0].ndim == 2:
            text = f"{context.operand(function.value)}.T"
            yield Found((*context.span(call), text), "`transpose` takes two dimensions, and there are only these two.")
            return


def _read_pickled(context: RuleContext) -> Iterator[Found]:
    """A file with more than weights: only one that the notebook itself wrote is to be trusted."""
    saved = [n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == "save"]
    written = {ast.unparse(n.args[1]) for n in saved if len(n.args) > 1}
    for call in context.list_calls_at_failure():
        if read_last_name(call.func) == "load" and call.args and ast.unparse(call.args[0]) in written:
            splice = append_argument(context.source, call, "weights_only=False")
            cause = "PyTorch reads weights alone unless it is told otherwise (since 2.6), and the notebook wrote the whole model."
            yield Found(splice, cause, "Such a file can run any code: it must be the one that was written.")
            return


READERS: dict[re.Pattern[str], Callable[[RuleContext], Iterator[Found]]] = {
    VIEW: _read_view, NO_PLACES: _read_number, MANY: _read_many, PAIR: _read_pair, NO_TEXT: _read_type, GPU: _read_device,
    AXES: _read_axes, PICKLED: _read_pickled,
}  # fmt: skip
"""Who reads which message."""
