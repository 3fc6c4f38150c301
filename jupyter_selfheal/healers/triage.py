"""What a failure comes from, and whether it must be left alone: deliberate, a skeleton, missing data, the network, …

Each check is certain of one thing or says nothing; the first that speaks decides. Where a cause outside of the code may still
be mended within it (a file elsewhere in the tree, a module that was renamed), the rules are asked: if one of them has a
patch, nothing is left alone.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers import causes
from jupyter_selfheal.healers.rules._names import function_at, is_skeleton
from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.healers.rules.healer import RulesHealer
from jupyter_selfheal.healers.rules.missing_module import wanted_distribution
from jupyter_selfheal.model import Case, Cell, Diagnosis, FailureKind, Install, Locus, Oracle
from jupyter_selfheal.ports import Facts, Starts

RAISES = "raises-exception"

NETWORK_NAMES = frozenset(
    {"URLError", "ConnectionError", "gaierror", "ConnectTimeout", "ReadTimeout", "SSLError", "ProxyError", "MaxRetryError",
     "NewConnectionError", "RemoteDisconnected", "ConnectionRefusedError", "ConnectionResetError", "ConnectError", "HTTPError",
     "TooManyRedirects", "ChunkedEncodingError", "ClientConnectorError", "EndpointConnectionError", "ContentTooShortError"}
)  # fmt: skip
NETWORK_WORDS = re.compile(
    r"Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused|getaddrinfo failed|"
    r"Max retries exceeded|urlopen error|nodename nor servname|No route to host|Connection timed out|network blocked"
)
CREDENTIAL_NAMES = re.compile(
    r"Authentication|Unauthorized|Forbidden|Credential|PermissionDenied|InvalidApiKey|LoginError"
)
CREDENTIAL_WORDS = re.compile(
    r"\b40[13]\b|[Aa][Pp][Ii][ _]?[Kk]ey|access[ _]token|credentials?\b|not authenticated|Unauthorized|log ?in required"
)
SQL = re.compile(
    r"^\s*(SELECT\b.+\bFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+(TABLE|VIEW|DATABASE|INDEX)|DROP\s+TABLE|"
    r"ALTER\s+TABLE|VACUUM\b|COPY\s+\w+\s+FROM|GRANT\s+\w+|WITH\s+\w+\s+AS\s*\()",
    re.IGNORECASE | re.DOTALL,
)
LATEX = re.compile(r"\\begin\{|\\frac\b|\\documentclass|\\section\{|^\s*\$\$|\\newcommand|\\left\(", re.MULTILINE)
R_ARROW = re.compile(r"^\s*[A-Za-z_.][\w.]*\s*<-\s", re.MULTILINE)
"""R's assignment. Python reads ``x <- 1`` as a comparison; nobody writes one with that spacing as a statement."""
OF_PYTHON = re.compile(
    r"keyword argument|positional argument|outside (async )?function|outside loop|cannot assign|never closed|[Mm]aybe you meant|"
    r"Did you mean|expected ':'|unmatched|does not match|f-string|non-default argument|expected an indented|unindent"
)
"""Messages that CPython has for what is nearly Python."""
MARKUP = re.compile(r"^\s*(<!DOCTYPE|<(html|div|script|style|p|h\d|table|img|svg|br)\b)", re.IGNORECASE)
PLACEHOLDER = re.compile(r"^(your|YOUR|<)\w*|^_{2,}$|^x{3,}$|^X{3,}$|^FILL\w*$|^REPLACE\w*$")
UNFINISHED = frozenset({"NameError", "NotImplementedError", "SyntaxError", "IndentationError", "TypeError", "AssertionError",
                        "AttributeError"})  # fmt: skip


class Triage:
    """:class:`~jupyter_selfheal.ports.Diagnoser` by the failure, the notebook and the live state."""

    def __init__(self, rules: RulesHealer | None = None) -> None:
        self._rules = rules or RulesHealer()

    def diagnose(self, case: Case, facts: Facts) -> Diagnosis:
        """The first check that is certain decides; else the cause is in the code, here or in the cell of the frame."""
        scene = Scene(case, facts)
        for check in CHECKS:
            found = check(scene, self)
            if found is not None:
                return found
        return _in_code(scene)

    def has_remedy(self, scene: Scene) -> bool:
        """True where a rule has a patch of the notebook itself, not only an installation."""
        answer = self._rules.propose(scene.case, Starts(), scene.facts, ())
        return any(not isinstance(e, Install) for p in answer.patches for e in p.edits)


Check = Callable[[Scene, Triage], Diagnosis | None]


def _left(cause: str, reason: str, advice: str, locus: Locus = Locus.ENVIRONMENT, confidence: int = 95) -> Diagnosis:
    return Diagnosis(cause=cause, locus=locus, confidence=confidence, leave_alone=reason, advice=advice)


def _cell(scene: Scene) -> Cell:
    at = scene.notebook.index(scene.failure.cell_id)
    return scene.notebook.cells[at] if at >= 0 else Cell(scene.failure.cell_id, scene.source)


# --- meant to fail --------------------------------------------------------------------------------------------------


def _interrupted(scene: Scene, triage: Triage) -> Diagnosis | None:
    if scene.failure.ename != "KeyboardInterrupt":
        return None
    return _left("The cell was interrupted.", "interrupted", "Run it again if it was to go on.")


def _deliberate(scene: Scene, triage: Triage) -> Diagnosis | None:
    """A tag says so, the stored output is the same error, or the cell itself raises it."""
    cell, failure = _cell(scene), scene.failure
    advice = "Tag the cell `raises-exception`, so that nbclient and nbval expect the error too."
    if RAISES in cell.tags:
        return _left("The cell is tagged raises-exception.", "deliberate", "Nothing is to be done.", Locus.CODE, 100)
    stored = next((o for o in cell.outputs if o.output_type == "error"), None)
    own = "ImportError", "ModuleNotFoundError", "FileNotFoundError"
    if stored is not None and stored.ename not in own and _same_error(scene, stored.ename, stored.evalue):
        return _left("The notebook stores this very error as the cell's output.", "deliberate", advice, Locus.CODE)
    if failure.ename == "SystemExit":
        return _left("The cell ends the program.", "deliberate", advice, Locus.CODE)
    statement = scene.failing_statement()
    if (
        isinstance(statement, ast.Raise)
        and statement.exc is not None
        and "NotImplementedError" not in ast.dump(statement)
    ):
        return _left("The cell raises the error itself.", "deliberate", advice, Locus.CODE, 90)
    return None


def _own_check(scene: Scene, triage: Triage) -> Diagnosis | None:
    """A function of the notebook, or a condition in the cell, refuses what it was given.

    Not where something says what the right result is (a search or a model may then find the fault that the check
    caught), nor where the error is another one's in new words.
    """
    failure, (cell_id, source, line) = scene.failure, scene.place()
    stated = [s for s in _cell(scene).outputs if s.output_type != "error"] or scene.case.oracle != Oracle()
    if failure.kind is not FailureKind.RAISED or stated or isinstance(scene.failing_statement(), ast.Assert):
        return None
    if not failure.frames or not failure.frames[-1].cell_id or not _raises_its_own(source, line):
        return None
    if triage.has_remedy(scene):
        return None
    function = function_at(source, line)
    where = f"`{function.name}`" if function is not None else "The cell"
    number = scene.notebook.index(cell_id) + 1
    place = f" (cell {number}, line {line})" if number and cell_id != failure.cell_id else f" (line {line})"
    return Diagnosis(
        f"{where} itself refuses what it is given{place}: {failure.headline}", Locus.CODE, cell_id, 85, "own check",
        "Look at the value that the check names; the check is the notebook's own, and stays.",
    )  # fmt: skip


def _raises_its_own(source: str, line: int) -> bool:
    """True for a ``raise Error(...)`` on the line that passes on no other error."""
    tree = src.parse(source)
    nodes = list(ast.walk(tree)) if tree is not None else []
    handled = {n for h in nodes if isinstance(h, ast.ExceptHandler) for n in ast.walk(h)}
    return any(
        isinstance(n, ast.Raise) and n.exc is not None and n.lineno <= line <= (n.end_lineno or n.lineno)
        for n in nodes
        if n not in handled
    )


def _same_error(scene: Scene, ename: str, evalue: str) -> bool:
    """The same name, and for names whose message says what is missing nearly the same message.

    Libraries word the others anew with every release; an author who kept one of them in the notebook meant to show it.
    """
    if ename != scene.failure.ename:
        return False
    one, two = _normal(evalue), _normal(scene.failure.evalue)
    if ename not in ("NameError", "AttributeError", "SyntaxError", "TypeError"):
        return True
    return one == two or (bool(one and two) and difflib.SequenceMatcher(None, one, two).ratio() > 0.75)


def _normal(message: str) -> str:
    first = message.strip().splitlines()[0] if message.strip() else ""
    return re.sub(r"0x[0-9a-f]+|\([^()]*line \d+\)|<ipython[^>]*>|\s+", " ", first).strip()


def _skeleton(scene: Scene, triage: Triage) -> Diagnosis | None:
    """An exercise that somebody is to complete."""
    failure = scene.failure
    advice = "Complete the cell; nobody else can know what belongs there."
    name = failure.evalue.split("'")[1] if failure.ename == "NameError" and failure.evalue.count("'") > 1 else ""
    if PLACEHOLDER.match(name):
        return _left(f"`{name}` is a placeholder.", "skeleton", advice, Locus.CODE)
    if failure.ename not in UNFINISHED and "ellipsis" not in failure.evalue:
        return None
    if "'ellipsis'" in failure.evalue and any(_has_hole(c.source) for c in scene.notebook.cells if c.kind == "code"):
        return _left("A value is still `...`: the exercise is not completed.", "skeleton", advice, Locus.CODE)
    cell_id, source, _ = scene.place()
    if failure.ename == "NotImplementedError" and any(f.cell_id for f in failure.frames[-1:]):
        return _left("The code says itself that it is not implemented.", "skeleton", advice, Locus.CODE)
    for text in (scene.source, source, *_sources_of_callees(scene)):
        if is_skeleton(text, notes=failure.ename in ("NameError", "NotImplementedError", "SyntaxError")):
            return Diagnosis(
                "The cell is an exercise that is not completed.", Locus.CODE, cell_id, 95, "skeleton", advice
            )
    return None


def _has_hole(source: str) -> bool:
    """True where ``...`` is assigned or returned."""
    return any(
        isinstance(n, ast.Assign | ast.AnnAssign | ast.Return)
        and isinstance(n.value, ast.Constant)
        and n.value.value is ...
        for n in ast.walk(src.parse(source) or ast.Module([], []))
    )


def _sources_of_callees(scene: Scene) -> Iterator[str]:
    """Sources of the cells that define what the failing statement calls."""
    statement = scene.failing_statement()
    called = {n.func.id for n in ast.walk(statement) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)} if (
        statement is not None
    ) else set()  # fmt: skip
    for cell in scene.notebook.code_before(scene.failure.cell_id):
        for found in src.statements(cell.source):
            if isinstance(found.node, ast.FunctionDef) and found.node.name in called:
                yield src.text_of(cell.source, found.node)


def _not_python(scene: Scene, triage: Triage) -> Diagnosis | None:
    failure, text = scene.failure, scene.source
    if failure.ename == "UsageError" and (
        found := re.search(r"(Cell|Line) magic(?: function)? `(%+\w+)` not found", failure.evalue)
    ):
        return _left(
            f"The magic {found[2]} is not there.", "not python",
            f"Load the extension that provides {found[2]} (`%load_ext …`), or leave the cell out.",
        )  # fmt: skip
    if failure.ename == "NameError" and _is_r(scene):
        return _left(
            "The cell holds R, not Python.", "not python", "Use a R magic (`%%R`), or run it with an R kernel."
        )
    if failure.kind is not FailureKind.SYNTAX:
        return None
    what = (
        "R"
        if R_ARROW.search(text)
        else "SQL"
        if SQL.search(text)
        else "LaTeX"
        if LATEX.search(text)
        else "HTML"
        if MARKUP.search(text)
        else ""
    )
    foreign = _share_of_python(text) < 0.5 and not OF_PYTHON.search(failure.evalue)
    if not what and (_is_prose(text) or foreign) and not triage.has_remedy(scene):
        what = "text"
    if not what:
        return None
    advice = {
        "SQL": "Use a SQL magic (`%%sql`) or pass the statement to the database as a string.",
        "R": "Use a R magic (`%%R`), or run it with an R kernel.",
    }.get(what, "Make it a Markdown cell." if what != "HTML" else "Put `%%html` on top.")
    return _left(f"The cell holds {what}, not Python.", "not python", advice, Locus.CODE)


def _is_r(scene: Scene) -> bool:
    """True where the failing statement is an assignment of R, that is a comparison nobody looks at."""
    node = scene.failing_statement()
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Compare) and (
        R_ARROW.match(src.text_of(scene.source, node)) is not None
    )  # fmt: skip


def _share_of_python(text: str) -> float:
    """How many of the cell's lines are Python by themselves (a head counts with a body)."""
    both = zip(text.splitlines(), src.mask(text).splitlines(), strict=True)
    lines = [t.strip() for t, masked in both if t.strip() and t == masked and not t.lstrip().startswith("#")]
    good = [
        t for t in lines if src.compiles(t) or src.compiles(t + " pass") or t.startswith(("elif", "else", "except"))
    ]
    return len(good) / len(lines) if lines else 1.0


def _is_prose(text: str) -> bool:
    """True where most lines are words without an operator between them."""
    lines = [t for t in text.splitlines() if t.strip() and not t.lstrip().startswith("#")]
    words = [
        t for t in lines if len(re.findall(r"[A-Za-z]{2,}", t)) >= 4 and not re.search(r"[=(\[{]|\bimport\b|:\s*$", t)
    ]
    return bool(lines) and len(words) * 2 > len(lines)


# --- outside of the code --------------------------------------------------------------------------------------------


def _input(scene: Scene, triage: Triage) -> Diagnosis | None:
    asks = "input(" in scene.source or "getpass" in scene.source or "input(" in scene.place()[1]
    if scene.failure.ename == "StdinNotImplementedError" or (scene.failure.ename == "EOFError" and asks):
        return _left("The cell asks for input.", "input", "Run it in a notebook, or give the value in the cell.")
    return None


def _memory(scene: Scene, triage: Triage) -> Diagnosis | None:
    if scene.failure.ename in ("MemoryError", "_ArrayMemoryError", "OutOfMemoryError"):
        return _left("The memory is not enough.", "memory", "Work on a part of the data, or on a larger machine.")
    return None


def _credential(scene: Scene, triage: Triage) -> Diagnosis | None:
    failure = scene.failure
    environ = failure.ename == "KeyError" and re.search(r"\benviron\b", _line(scene)) is not None
    if environ and not triage.has_remedy(scene):
        name = failure.evalue.strip("'\"")
        return _left(
            f"The environment variable {name} is not set.", "missing credential", f"Set {name} and run the cell again."
        )
    refused = CREDENTIAL_NAMES.search(failure.ename) or (
        failure.ename
        in ("HTTPError", "HTTPStatusError", "ValueError", "RuntimeError", "OSError", "APIError", "Exception")
        and CREDENTIAL_WORDS.search(failure.evalue)
    )
    if refused and "_mock" not in failure.ename:
        return _left(
            "A service refused the access.",
            "missing credential",
            "Give the service a valid key or login.",
            confidence=90,
        )
    return None


def _line(scene: Scene) -> str:
    _, source, line = scene.place()
    lines = source.splitlines()
    return lines[line - 1] if 0 < line <= len(lines) else source


def _network(scene: Scene, triage: Triage) -> Diagnosis | None:
    failure = scene.failure
    named = failure.ename in NETWORK_NAMES or failure.ename.endswith(("ConnectionError", "Timeout"))
    if failure.kind is FailureKind.RAISED and failure.ename in ("TimeoutError", "timeout"):
        named = True
    if named or NETWORK_WORDS.search(failure.evalue) or re.search(r"gaierror|urlopen error", failure.traceback):
        return _left("The cell needs the network.", "network", "Run it where the address can be reached.")
    return None


def _missing_data(scene: Scene, triage: Triage) -> Diagnosis | None:
    failure = scene.failure
    if failure.ename == "LookupError" and "Resource" in failure.evalue and "nltk" in failure.evalue.lower():
        data = re.search(r"nltk\.download\('(\w+)'\)", failure.evalue)
        return _left(
            "A data set of NLTK is not there.", "missing data", f"Run `nltk.download('{data[1] if data else '…'}')`."
        )
    worded = r"No such file or directory|does not exist|[Uu]nable to open file|not found\.?$"
    missing = (
        failure.ename in ("FileNotFoundError", "NotADirectoryError") or "No such file or directory" in failure.evalue
    )
    if not missing and failure.ename in ("OSError", "IOError", "HDF5ExtError", "EmptyDataError"):
        missing = re.search(worded, failure.evalue) is not None
    if not missing or triage.has_remedy(scene):
        return None
    found = re.search(r"'([^']+)'", failure.evalue)
    name = found[1] if found else "the file"
    return _left(
        f"{name} is not there, nor a file that is surely the same.",
        "missing data",
        f"Put {name} where the cell reads it.",
    )


def _missing_module(scene: Scene, triage: Triage) -> Diagnosis | None:
    failure = scene.failure
    absent = failure.ename == "ModuleNotFoundError" or (
        failure.ename == "ImportError"
        and re.search(r"No module named|optional dependency|(pip|conda) install", failure.evalue)
    )
    if not absent or triage.has_remedy(scene):
        return None
    requirement, module, known = wanted_distribution(scene)
    module = module or (re.findall(r"'([\w.]+)'", failure.evalue) or ["a module"])[0]
    advice = "Add the module's file, which did not come with the notebook."
    if requirement:
        advice = f"`%pip install {requirement}`" + ("" if known else ", if the distribution of that name is meant")
    return _left(f"The module {module} is not installed here.", "missing module", advice)


def _machine(scene: Scene, triage: Triage) -> Diagnosis | None:
    """What the machine lacks: a shared library, a program, a right, a display."""
    failure = scene.failure
    words = re.search(
        r"cannot open shared object|ExecutableNotFound|executables? are on your|no display name|CUDA|not found on your system|"
        r"command not found|is not installed or not in your PATH",
        failure.evalue,
    )
    if words or failure.ename in ("PermissionError", "ExecutableNotFound", "TclError", "CalledProcessError"):
        return _left(
            "The machine lacks something that the cell needs.", "missing module", failure.headline, confidence=85
        )
    return None


def _bad_data(scene: Scene, triage: Triage) -> Diagnosis | None:
    """An assert that finds something in the data, not in a function of the notebook or in a computed value."""
    statement = scene.failing_statement()
    if scene.failure.ename != "AssertionError" or not isinstance(statement, ast.Assert):
        return None
    if (
        scene.place()[0] != scene.failure.cell_id
        or _compares_a_result(statement.test)
        or _uses_own_functions(scene, statement)
    ):
        return None
    return _left(
        "The assert found something wrong in the data.", "bad data",
        "Look at the data that it names; the check is right, and stays.", Locus.CODE, 85,
    )  # fmt: skip


def _compares_a_result(test: ast.expr) -> bool:
    """True for ``total == 7``, ``isclose(x, 3.2)``, ``abs(x - 3.2) < 1e-9``: a test of what was computed."""
    if isinstance(test, ast.BoolOp):
        return any(_compares_a_result(v) for v in test.values)
    if isinstance(test, ast.Compare):
        return any(isinstance(op, ast.Eq | ast.Is) for op in test.ops) or _is_near(test)
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(test)}
    return bool(names & {"isclose", "allclose", "equals", "array_equal", "approx"})


def _is_near(test: ast.Compare) -> bool:
    """``abs(a - b) < eps``, and the same of NumPy: equal but for rounding."""
    call = test.left
    name = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(call, ast.Call)
        and len(call.args) == 1
        and isinstance(call.args[0], ast.BinOp)
        and isinstance(call.args[0].op, ast.Sub)
        and (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in ("abs", "fabs", "absolute")
        and all(isinstance(op, ast.Lt | ast.LtE) for op in test.ops)
    )


def _uses_own_functions(scene: Scene, statement: ast.stmt) -> bool:
    """True where a function of the notebook took part in what the assert looks at."""
    above = scene.notebook.code_before(scene.failure.cell_id)
    wanted = src.names_of([statement]).uses
    texts = [scene.source, *(above[n].source for n in src.needed([c.source for c in above], wanted))]
    defined = {
        n.name
        for c in (*above, _cell(scene))
        for n in ast.walk(src.parse(c.source) or ast.Module([], []))
        if isinstance(n, ast.FunctionDef)
    }
    called = {
        n.func.id if isinstance(n.func, ast.Name) else getattr(n.func, "attr", "")
        for text in texts
        for n in ast.walk(src.parse(text) or ast.Module([], []))
        if isinstance(n, ast.Call)
    }
    return bool(defined & called)


# --- in the code ----------------------------------------------------------------------------------------------------


def _in_code(scene: Scene) -> Diagnosis:
    failure = scene.failure
    if failure.kind is FailureKind.MISSED:
        return Diagnosis("The cell runs, but does not give what is expected.", Locus.CODE, failure.cell_id)
    if failure.kind is FailureKind.SYNTAX:
        return Diagnosis(f"Python cannot read the cell: {failure.headline}", Locus.CODE, failure.cell_id)
    if failure.kind is FailureKind.TIMED_OUT:
        return Diagnosis("The cell does not come to an end in its time.", Locus.CODE, failure.cell_id)
    cell_id, _, line = scene.place()
    number = scene.notebook.index(cell_id) + 1
    cause, advice = causes.told(scene)
    if cause:
        locus = Locus.ELSEWHERE if cell_id != failure.cell_id and number else Locus.CODE
        return Diagnosis(cause, locus, cell_id, advice=advice)
    if cell_id != failure.cell_id and number:
        return Diagnosis(f"{failure.headline}, raised in cell {number}, line {line}", Locus.ELSEWHERE, cell_id)
    return Diagnosis(failure.headline + (f", at line {line}" if line else ""), Locus.CODE, failure.cell_id)


CHECKS: tuple[Check, ...] = (
    # what a person meant comes before what a machine lacks; the cheap and certain before what asks the rules
    _interrupted,
    _deliberate,
    _skeleton,
    _not_python,
    _input,
    _memory,
    _credential,
    _network,
    _missing_data,
    _missing_module,
    _machine,
    _bad_data,
    _own_check,
)
