"""TYP215: text where bytes are taken, or bytes where text is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r'can only concatenate str \(not "bytes"\)|can\'t concat str to bytes|a bytes-like object is required, not \'str\'|'
    r"must be encoded before hashing|write\(\) argument must be str, not bytes|first arg must be bytes"
)
SEARCHES = frozenset({"split", "rsplit", "find", "rfind", "index", "replace", "startswith", "endswith", "count", "strip", "join"})  # fmt: skip
"""Methods of bytes that take bytes."""
ENCODERS = frozenset({
    "b64encode", "urlsafe_b64encode", "standard_b64encode", "b32encode", "b16encode", "b85encode", "a85encode", "encodebytes",
    "hexlify", "b2a_base64", "b2a_hex", "crc32", "adler32", "compress", "BytesIO",
})  # fmt: skip
"""Functions of base64, binascii, zlib, gzip, bz2, lzma and io whose first argument is bytes."""


class TextAndBytes(Rule):
    """Decode bytes where they meet text, encode text where only bytes are taken.

    **Failure** `TypeError: can only concatenate str (not "bytes") to str`, `a bytes-like object is required, not 'str'` at
    `output.split(',')`, at `file.write('text')` or at `base64.b64encode('text')`, `Strings must be encoded before hashing`.

    **Fix** `.decode()` on the bytes that are joined with text or searched for text; `.encode()` on the text that is hashed, compressed or
    written to a file of bytes.

    **Fix safety** Safe: text becomes bytes and bytes become text in this one way, by UTF-8. Bytes of another encoding fail in the trial.
    """

    code = "TYP215"
    name = "text and bytes"
    enames = frozenset({"TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Text and bytes turn into each other by an encoding, which is UTF-8 unless one is named."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.BinOp, ast.AugAssign, ast.Compare, ast.Call):
            found = _find_operand(context, node)
            if found is None:
                continue
            operand, method = found
            text = context.operand(operand)
            yield self.patch(
                context.replace_here((*context.span(operand), f"{text}.{method}()")),
                f"Use `{text}.{method}()`",
                f"`{text}` is {'bytes' if method == 'decode' else 'text'}, and "
                f"{'text' if method == 'decode' else 'only bytes'} can be used here.",
                prior=0.9,
            )
            return


def _find_operand(context: RuleContext, node: ast.AST) -> tuple[ast.expr, str] | None:
    """What is to be turned, and by which method."""
    match node:
        case ast.BinOp(left=left, right=right, op=ast.Add()) | ast.AugAssign(target=left, value=right, op=ast.Add()):
            sides = [right, left] if isinstance(node, ast.BinOp) else [right]
            return next(((s, "decode") for s in sides if _is_kind(context, s, "bytes")), None)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return (right, "decode") if _is_kind(context, right, "bytes") else None
        case ast.Call(func=func, args=[given, *_]) if "hashing" in context.failure.evalue:
            return (given, "encode") if _is_kind(context, given, "str") and _is_hash(func) else None
        case ast.Call(func=ast.Attribute(attr="write"), args=[given]):
            kind, method = ("bytes", "decode") if "must be str" in context.failure.evalue else ("str", "encode")
            return (given, method) if _is_kind(context, given, kind) else None
        case ast.Call(func=func, args=[given, *_]) if read_last_name(func) in ENCODERS:
            return (given, "encode") if _is_kind(context, given, "str") else None
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in SEARCHES:
            return (owner, "decode") if _is_kind(context, owner, "bytes") else None
    return None


def _is_hash(function: ast.expr) -> bool:
    return read_last_name(function) == "update" or read_last_name(function).startswith(("md5", "sha", "blake", "new"))


def _is_kind(context: RuleContext, node: ast.expr, kind: str) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value).__name__ == kind
    if isinstance(node, ast.JoinedStr):
        return kind == "str"
    if isinstance(node, ast.BinOp):
        return any(_is_kind(context, side, kind) for side in (node.left, node.right))
    return context.describe_all([node])[0].type == kind
