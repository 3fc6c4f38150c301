"""What says that a mended cell was hardly meant so: it parses, and may even run, and another reading of it is likelier.

A rule's only mend is *safe* where nothing speaks against what it makes of the cell. Here is what does: a builtin that is named where
it was to be called, a text that holds code of the cell, arguments that a function of the cell does not take, a value of a function that
is read outside of it. Each of these is told from the tree alone.
"""

from __future__ import annotations

import ast
import builtins
import re
import warnings
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.syntax import doubts
from jupyter_selfheal.healers.syntax.token_edits import OPERATORS
from jupyter_selfheal.healers.syntax.tokens import NAME, NUMBER, SIGN, TEXT, split_tokens
from jupyter_selfheal.healers.syntax.word_edits import TYPES
from jupyter_selfheal.inside.parsing import parse_expression
from jupyter_selfheal.inside.tree_names import CONSTANTS
from jupyter_selfheal.model import Failure, Notebook

CALLED = frozenset(
    {"abs", "float", "input", "int", "len", "max", "min", "print", "range", "round", "sorted", "str", "sum"}
)
"""Builtins of beginners, which are called wherever they are named with a value behind them."""
OFTEN_NAMES = frozenset({"input", "len", "max", "min", "str", "sum"})
"""Those that beginners name a variable by."""
ONE_VALUE = frozenset({"abs", "float", "input", "int", "print", "round"})
"""Those to which nobody gives one tuple."""
METHODS = frozenset({"append", "format", "join", "lower", "replace", "split", "strip", "upper"})
"""Methods that nobody prints without calling them."""
QUESTIONS = METHODS | {
    "endswith",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "isupper",
    "startswith",
}
"""Methods that nobody asks, or compares, without calling them: as a condition each holds, whatever the text is."""
_UNCALLED = re.compile(rf"\b({'|'.join(sorted(CALLED))})[ \t]+(?!(?:in|is|if|else|and|or|not|for|as)\b)[\w'\"]")
_TYPED = re.compile(rf"\b({'|'.join(sorted(TYPES))})[ \t]+(?!(?:in|is|if|else|and|or|not|for|as)\b)[^\W\d]")
"""A type of another language before a name: ``def f(string s)``. A parameter of its own may well be called `list`."""
_SET_QUESTION = re.compile(
    r"^[ \t]*(?:if|elif|while)\b([^=!<>:\n]*[^=!<>:+\-*/%\s]\s*=(?![=<>])[^=\n]*)$", re.MULTILINE
)
"""A condition with one sign of an assignment in it."""
_OPEN_CALL = re.compile(r"[\w\])]\([^()]*(?:\([^()]*\)[^()]*)*$")
_JOINS = frozenset({"and", "or", "not"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda)


def find_objection(mended: str, given: str, known: frozenset[str] | None) -> str:
    """What speaks against a mended cell, in words; empty where nothing does. ``known`` are the names that the notebook has; None where
    something binds names that cannot be seen (``import *``)."""
    tree = src.parse(mended)
    if tree is None:
        return ""
    plain = split_tokens(mended)
    blanked = _blank_texts(given)
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called = CALLED - (stored & OFTEN_NAMES)  # `sum = 0`: a variable from there on
    uncalled, typed = called.intersection(_UNCALLED.findall(blanked)), (TYPES & CALLED).union(_TYPED.findall(blanked))
    for node in ast.walk(tree):
        if (words := _object_to_node(node, uncalled, typed, called)) or (words := _object_to_call(node, tree, called)):
            return words
    for words in (
        _find_swallowed_code({t.text for t in plain if t.kind == TEXT}, given, tree, known or frozenset()),
        _find_idle_name(tree, called),
        _find_overwritten_input(tree, given),
        _find_lost_question(tree, given),
        _find_sign_for_comma(mended, given),
        _find_warning(mended),
    ):
        if words:
            return words
    lost = list_lost_names(tree, known) if known is not None else set()
    if (
        given.split() == mended.split()
    ):  # blanks and lines alone were mended: a name that nothing binds anywhere was read before, too
        lost &= {bound for node in ast.walk(tree) for bound in (*_list_bound(node), getattr(node, "arg", None))}
    name = next(iter(sorted(lost - CONSTANTS.keys())), "")
    return f"`{name}` is read where nothing binds it" if name else ""


def _blank_texts(source: str) -> str:
    """The source with its texts and comments as blanks, of the same length."""
    parts = list(source)
    for token in split_tokens(source):
        if token.kind in (TEXT, "comment"):
            parts[token.start : token.end] = (
                '"' + "_" * (token.end - token.start - 2) + '"'
                if token.kind == TEXT
                else " " * (token.end - token.start)
            )
    return "".join(parts)


def _object_to_node(node: ast.AST, uncalled: frozenset[str], typed: frozenset[str], called: frozenset[str]) -> str:
    if isinstance(node, ast.Assert) and isinstance(node.test, ast.List | ast.Set | ast.Dict | ast.Lambda):
        return "an assert of a list holds, whatever is in it"
    if isinstance(node, ast.Assign) and any(_cannot_unpack(node.value, t) for t in node.targets):
        return "its values are not as many as its names"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in called:
        return f"`{node.value.id}` is called, and has no items"
    if isinstance(node, ast.BinOp) and any(isinstance(s, ast.Tuple) for s in (node.left, node.right)):
        is_text = isinstance(node.op, ast.Mod | ast.Add) or (
            isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant)
        )
        return "" if is_text else "nobody reckons with several values in brackets"
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return "" if hasattr(str, node.attr) else f"a text has no `{node.attr}`"
    if isinstance(node, ast.arg) and node.arg in typed and node.annotation is None:
        return f"`{node.arg}` is a type, and no parameter"
    if shown := _find_shown_inside(node):
        return shown
    asked = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    asked += [node.operand] if isinstance(node, ast.UnaryOp) else node.values if isinstance(node, ast.BoolOp) else []
    asked += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    if method := next((a for a in asked if isinstance(a, ast.Attribute) and a.attr in QUESTIONS), None):
        return f"`{ast.unparse(method)}` is named where it is to be called"
    operands = [getattr(node, "value", None)] if isinstance(node, ast.Assign) else []
    operands += [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    operands += [node.left, node.right] if isinstance(node, ast.BinOp) else []
    if name := next((v.id for v in operands if isinstance(v, ast.Name) and v.id in called), ""):
        return f"`{name}` is named where it is to be called"
    inside = (
        getattr(node, "args", [])
        if isinstance(node, ast.Call)
        else getattr(node, "elts", [])
        if isinstance(node, ast.Tuple)
        else []
    )
    name = next((a.id for a in inside if isinstance(a, ast.Name) and a.id in uncalled), "")
    return f"`{name}` is named where it is to be called" if name else ""


def _find_shown_inside(node: ast.AST) -> str:
    """``c = round(c, 2), print(c)``: what ``print`` gives is no value."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List):
        parts = node.elts
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLED:
        parts = node.args
    elif isinstance(node, ast.Assign):
        parts = [node.value]
    shown = any(isinstance(p, ast.Call) and isinstance(p.func, ast.Name) and p.func.id == "print" for p in parts)
    return "what `print` gives is no value" if shown else ""


def _object_to_call(node: ast.AST, tree: ast.Module, called: frozenset[str]) -> str:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return ""
    name, first = node.func.id, node.args[0] if node.args else None
    if name in ONE_VALUE and len(node.args) == 1 and isinstance(first, ast.Tuple):
        return f"`{name}` is given its values in one bracket too many"
    if name == "print" and (
        left := next((a.attr for a in node.args if isinstance(a, ast.Attribute) and a.attr in METHODS), "")
    ):
        return f"`{left}` is named where it is to be called"
    if name in ("int", "float", "str", "len") and isinstance(first, ast.Name) and first.id in called:
        return f"`{first.id}` is named where it is to be called"
    if doubts.has_other_arguments(node):
        return f"`{name}` does not take these arguments"
    own = [f for f in tree.body if isinstance(f, _FUNCTIONS) and f.name == name]
    if len(own) == 1 and not _gives_as_many(node, own[0].args):
        return f"`{name}` does not take so many arguments"
    return ""


def _gives_as_many(call: ast.Call, taken: ast.arguments) -> bool:
    """Whether a call gives a function as many values as it takes; one with stars may."""
    if taken.vararg or taken.kwarg or taken.kwonlyargs or any(isinstance(a, ast.Starred) for a in call.args):
        return True
    if any(k.arg is None for k in call.keywords):
        return True
    most = len(taken.posonlyargs) + len(taken.args)
    return most - len(taken.defaults) <= len(call.args) + len(call.keywords) <= most


def _find_swallowed_code(texts: set[str], given: str, tree: ast.Module, known: frozenset[str]) -> str:
    """A text that was not there, and in which code of the cell stands: ``'Circle:, 3 * r'``, ``'Bo", [90, 85]'``."""
    new = texts - {t.text for t in split_tokens(given) if t.kind == TEXT}
    bound = known | {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for text in (t for t in new if not t.endswith(('"""', "'''"))):
        body, other = text.strip("rbfuRBFU")[1:-1], "'" if text[-1] == '"' else '"'
        if re.search(rf"{other}\s*[,)\]]|{other}$", body) and body.count(other) % 2:
            return "a text of the cell holds a quote that was to end one"
        if _holds_code(body, bound):
            return f"the text {text[:40]} holds code of the cell"
    return ""


def _holds_code(body: str, bound: frozenset[str]) -> bool:
    _, comma, tail = body.partition(",")
    try:
        names = {n.id for n in ast.walk(parse_expression(tail)) if isinstance(n, ast.Name)} if comma else set[str]()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(names & bound) and names <= bound | vars(builtins).keys()


def _find_idle_name(tree: ast.Module, called: frozenset[str]) -> str:
    """A statement that is a name alone. The last one of a cell shows its value, but for a function's."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Name)
            and (node is not tree.body[-1] or node.value.id in called)
        ):
            return f"`{node.value.id}` stands alone, and does nothing"
    return ""


def _find_overwritten_input(tree: ast.Module, given: str) -> str:
    """``name = "AK"`` made of ``name"AK"`` below ``name = input()``: what was read is lost, and the answer may stand there instead."""
    read: set[str] = set()
    squeezed = re.sub(r"\s", "", given)
    for statement in (
        n for n in ast.walk(tree) if isinstance(n, ast.Module | ast.FunctionDef | ast.For | ast.While | ast.If)
    ):
        read.clear()
        for node in statement.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Constant()) if name in read:
                    if re.sub(r"\s", "", ast.unparse(node)) not in squeezed.replace('"', "'"):
                        return f"`{name}` is read, and set anew before anything uses it"
            read -= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            match node:
                case ast.Assign([ast.Name(name)], ast.Call() as call) if "input(" in ast.unparse(call):
                    read.add(name)
    return ""


def _find_sign_for_comma(mended: str, given: str) -> str:
    """``key=lambda t: t[1] * t[0]`` made of ``key=lambda t: t[1], t[0]``: who writes a comma means two values, and no product of them."""
    more, less = (Counter(t.text for t in split_tokens(text) if t.kind == SIGN) for text in (mended, given))
    sign = next((s for s in sorted(OPERATORS - {"**"}) if more[s] > less[s]), "")
    return f"a comma of the cell became a `{sign}`: two values were meant" if sign and more[","] < less[","] else ""


def _find_lost_question(tree: ast.Module, given: str) -> str:
    """``if s = n:`` as ``if s := n:`` or ``if s and n:``: what was to be compared is not, and the condition may hold whatever the two are."""
    asked = [
        [t.text for t in split_tokens(match[1]) if t.kind in (NAME, NUMBER, TEXT)]
        for match in _SET_QUESTION.finditer(_blank_texts(given))
        if not _OPEN_CALL.search(match[1].partition("=")[0])
    ]
    for node in ast.walk(tree) if asked else ():
        test = node.test if isinstance(node, ast.If | ast.While) else None
        if test is None or any(isinstance(n, ast.Compare) for n in ast.walk(test)):
            continue
        words = [
            t.text for t in split_tokens(ast.unparse(test)) if t.kind in (NAME, NUMBER, TEXT) and t.text not in _JOINS
        ]
        if any(words and words == names[: len(words)] for names in asked):
            return f"what is asked with `=` is compared, and `{ast.unparse(test)}` compares nothing"
    return ""


def _find_warning(source: str) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            compile(src.mask(source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return ""
    told = [str(w.message) for w in caught if "escape sequence" not in str(w.message)]
    return told[0] if told else ""


def list_lost_names(tree: ast.Module, known: frozenset[str]) -> set[str]:
    """Names that are read where no scope around binds them."""
    everywhere = {name for n in ast.walk(tree) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    return set(
        _list_unbound(tree, known | vars(builtins).keys() | everywhere | {"__class__", "_", "get_ipython", "display"})
    )


def _list_unbound(scope: ast.AST, outer: frozenset[str]) -> Iterator[str]:
    """The names of a scope, and of those in it, that neither it nor one around it binds."""
    inside, inner = _walk_scope(scope)
    bound = {b for node in inside for b in _list_bound(node)}
    if isinstance(scope, _SCOPES):
        bound |= {a.arg for a in ast.walk(scope.args) if isinstance(a, ast.arg)}
    here = outer | bound
    yield from (n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id not in here)
    for one in inner:
        # what a class binds its methods do not see
        yield from _list_unbound(one, frozenset(outer if isinstance(scope, ast.ClassDef) else here))


def _walk_scope(scope: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """The nodes of a scope without those of the functions and classes in it, and these."""
    inside: list[ast.AST] = []
    inner: list[ast.AST] = []
    body = getattr(scope, "body", [])
    pending: list[ast.AST] = list(body) if isinstance(body, list) else [body]
    while pending:
        node = pending.pop()
        inside.append(node)
        if isinstance(node, (*_SCOPES, ast.ClassDef)):
            inner.append(node)
            pending += [*getattr(node, "decorator_list", []), *getattr(node, "bases", [])]
            pending += getattr(getattr(node, "args", None), "defaults", [])
        else:
            pending += list(ast.iter_child_nodes(node))
    return inside, inner


def _list_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


BINDS_UNSEEN = re.compile(
    r"import\s+\*|^\s*%{1,2}(?:run|pylab|load|store|capture|time)\b|\bexec\(|\bglobals\(\)|=\s*!", re.MULTILINE
)
"""What binds names that nobody sees in the source."""


def _cannot_unpack(value: ast.expr, target: ast.expr) -> bool:
    """Whether several names are given one number, or a list of another length."""
    if not isinstance(target, ast.Tuple | ast.List):
        return False
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str | bytes)
    both = [*target.elts, *value.elts] if isinstance(value, ast.Tuple | ast.List) else []
    spread = any(isinstance(e, ast.Starred) for e in both)
    return bool(both) and not spread and len(both) != 2 * len(target.elts)


def object_in_notebook(mended: str, failure: Failure, notebook: Notebook) -> str:
    """What speaks against a mended cell beside the other cells of its notebook; empty where nothing does."""
    cells = [c.source for c in notebook.cells if c.kind == "code" and c.id != failure.cell_id]
    if any(BINDS_UNSEEN.search(text) for text in (*cells, mended)):
        return find_objection(mended, failure.source, None)
    names = [src.find_names(text) for text in cells]  # a function may read what a cell below binds
    known = frozenset[str]().union(*(n.binds | n.imports for n in names))
    return find_objection(mended, failure.source, known)
