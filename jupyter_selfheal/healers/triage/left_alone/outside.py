"""Causes outside of the code: input, memory, credentials, the network, data, modules, the machine."""

from __future__ import annotations

import ast
import re

from jupyter_selfheal.healers.rules.context import RuleContext, questions
from jupyter_selfheal.healers.rules.context.endless_loops import is_memory_filled_by_loop
from jupyter_selfheal.healers.rules.context.knowledge import load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.healers.rules.context.tables import find_distribution, list_known_modules
from jupyter_selfheal.healers.rules.missing_extension import MOVED
from jupyter_selfheal.healers.rules.missing_folder import find_missing_folder
from jupyter_selfheal.healers.rules.missing_module import find_wanted_distribution
from jupyter_selfheal.healers.rules.near_file import list_files_with_other_numbers
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, leave_alone, read_line
from jupyter_selfheal.healers.triage.smaller import list_what_could_be_smaller
from jupyter_selfheal.model import Diagnosis, FailureKind, Install, SkipReason

NETWORK_NAMES = frozenset(
    {"URLError", "ConnectionError", "gaierror", "ConnectTimeout", "ReadTimeout", "SSLError", "ProxyError", "MaxRetryError",
     "NewConnectionError", "RemoteDisconnected", "ConnectionRefusedError", "ConnectionResetError", "ConnectError", "HTTPError",
     "TooManyRedirects", "ChunkedEncodingError", "ClientConnectorError", "EndpointConnectionError", "ContentTooShortError"}
)  # fmt: skip

NETWORK_WORDS = re.compile(
    r"Name or service not known|Temporary failure in name resolution|Network is unreachable|Connection refused|getaddrinfo failed|"
    r"Max retries exceeded|urlopen error|nodename nor servname|No route to host|Connection timed out|network blocked"
)

SERVICE_GONE = re.compile(
    r"^data_source='\w+' is not implemented$|has been immediately deprecated due to large breaks in the API"
)
"""What pandas-datareader says of a service that no longer answers."""

CREDENTIAL_NAMES = re.compile(
    r"Authentication|Unauthorized|Forbidden|Credential|PermissionDenied|InvalidApiKey|LoginError"
)

CREDENTIAL_WORDS = re.compile(
    r"[Aa][Pp][Ii][ _]?[Kk]ey|access[ _]token|credentials?\b|not authenticated|Unauthorized|log ?in required"
)

_REACHING_OUT = re.compile(
    r"^[!%]+\s*(?:sudo\s+)?(?:(?:python[\d.]*\s+-m\s+)?pip[\d.]*\s+install|(?:conda|mamba|npm|gem|brew|rvm|apt(?:-get)?|yum)\s|git\s+(?:clone|fetch|pull|push)|wget\s|curl\s)"
)
"""A line for the shell that asks an address for something."""

_MAKES_TABLES = re.compile(r"create\s+(?:temp(?:orary)?\s+|virtual\s+)?table|to_sql\(|executescript\(|create_all\(")


def diagnose_input(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A cell that waits for the keyboard."""
    asks = "input(" in context.failure.source or "getpass" in context.failure.source or "input(" in context.location[1]
    if context.failure.ename == "StdinNotImplementedError" or (context.failure.ename == "EOFError" and asks):
        return leave_alone(
            "The cell asks for keyboard input.",
            SkipReason.INPUT,
            "Give the answer with `heal --input TEXT`, run it in a notebook, or write the value into the cell.",
        )
    return None


def diagnose_memory(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """Memory that ran out, but for a loop that fills it."""
    failure = context.failure
    if is_memory_filled_by_loop(context):
        return None  # less data would not do: it never ends
    is_killed = failure.kind is FailureKind.DIED and failure.evalue.startswith("out of memory")
    if is_killed or failure.ename in ("MemoryError", "_ArrayMemoryError", "OutOfMemoryError"):
        smaller = list(dict.fromkeys(list_what_could_be_smaller(failure.source, failure.line)))[:3]
        less = f"Make it smaller: {'; '.join(smaller)}." if smaller else "Use less data, or a machine with more memory."
        return leave_alone("Out of memory.", SkipReason.MEMORY, less)
    return None


def diagnose_credential(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A key, token or password that is not there, or is refused."""
    failure = context.failure
    environ = failure.ename == "KeyError" and re.search(r"\benviron\b", read_line(context)) is not None
    if environ and not remedies.has_remedy(context):
        name = failure.evalue.strip("'\"")
        return leave_alone(
            f"The environment variable {name} is not set.",
            SkipReason.MISSING_CREDENTIAL,
            f"Set {name} and run the cell again.",
        )
    of_http = failure.ename in ("HTTPError", "HTTPStatusError", "APIError")  # 401 is a length elsewhere
    refused = CREDENTIAL_NAMES.search(failure.ename) or (
        failure.ename
        in ("HTTPError", "HTTPStatusError", "ValueError", "RuntimeError", "OSError", "APIError", "Exception")
        and (CREDENTIAL_WORDS.search(failure.evalue) or (of_http and re.search(r"\b40[13]\b", failure.evalue)))
    )
    if refused and "_mock" not in failure.ename:
        return leave_alone(
            "A service denied access.",
            SkipReason.MISSING_CREDENTIAL,
            "Provide a valid key or login for the service.",
            confidence=90,
        )
    return None


def diagnose_network(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A service that cannot be reached, or is no longer there."""
    failure = context.failure
    if failure.kind is FailureKind.TIMED_OUT and _waits_for_addresses(failure.source):
        return leave_alone(
            "The cell's commands for the shell wait for addresses that cannot be reached.",
            SkipReason.NETWORK,
            "Run it where they are reachable.",
            confidence=90,
        )
    if SERVICE_GONE.search(failure.evalue) and any("pandas_datareader" in f.file for f in failure.frames):
        return leave_alone(
            "The service that the data came from is no longer there.",
            SkipReason.NETWORK,
            "Read the data from another source, or from a file.",
        )
    named = failure.ename in NETWORK_NAMES or failure.ename.endswith(("ConnectionError", "Timeout"))
    if failure.kind is FailureKind.RAISED and failure.ename in ("TimeoutError", "timeout"):
        named = True
    if named or NETWORK_WORDS.search(failure.evalue) or re.search(r"gaierror|urlopen error", failure.traceback):
        if remedies.has_remedy(context):  # a copy of the file lies in the project
            return None
        return leave_alone(
            "The cell needs network access.", SkipReason.NETWORK, "Run it where the address is reachable."
        )
    return None


def _waits_for_addresses(source: str) -> bool:
    """True for a cell of nothing but commands for the shell, of which one asks an address for something: what else could have taken the time?"""
    lines = [line.strip() for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return all(line.startswith(("!", "%pip", "%conda")) for line in lines) and any(map(_REACHING_OUT.match, lines))


_MISSING_SCRIPT = re.compile(r"File `'([^']+)'` not found\.?|'([^']+)' was not found in history, as a file, url, .*")
"""How IPython's `%run` and `%load` say that a file is not there."""


def diagnose_missing_data(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A file, table or data set that did not come with the notebook."""
    failure = context.failure
    if failure.ename == "LookupError" and "Resource" in failure.evalue and "nltk" in failure.evalue.lower():
        data = re.search(r"nltk\.download\('(\w+)'\)", failure.evalue)
        return leave_alone(
            "An NLTK data set is missing.",
            SkipReason.MISSING_DATA,
            f"Run `nltk.download('{data[1] if data else '…'}')`.",
        )
    if missing_table := _diagnose_missing_table(context, remedies):
        return missing_table
    worded = r"No such file or directory|does not exist|[Uu]nable to open file|not found\.?$"
    missing = (
        failure.ename in ("FileNotFoundError", "NotADirectoryError") or "No such file or directory" in failure.evalue
    )
    if not missing and failure.ename in ("OSError", "IOError", "HDF5ExtError", "EmptyDataError"):
        missing = re.search(worded, failure.evalue) is not None
    script = _MISSING_SCRIPT.fullmatch(failure.evalue)
    if not (missing or script) or remedies.has_remedy(context):
        return None
    if script:
        return leave_alone(
            f"The script `{script[1] or script[2]}`, which a magic reads, is missing.",
            SkipReason.MISSING_DATA,
            "Put it where the cell looks for it.",
        )
    if folder := find_missing_folder(context):
        return leave_alone(
            f"The folder `{folder}` is not there, and the cell writes a file into it.",
            SkipReason.MISSING_DATA,
            f"Make the folder `{folder}`, or write the file somewhere else.",
        )
    quoted = re.search(r"'([^']+)'", failure.evalue) or re.match(r"([^\s:]+\.\w+) not found\.?$", failure.evalue)
    name = quoted[1] if quoted else "the file"
    if any(f.file.endswith("subprocess.py") for f in failure.frames):
        if _is_working_folder(context, name):
            return leave_alone(
                f"The folder `{name}` isn't there, in which the program is to run.",
                SkipReason.MISSING_DATA,
                f"Make the folder `{name}`, or give another one as `cwd`.",
            )
        return leave_alone(
            f"The program `{name}` isn't there.",
            SkipReason.MISSING_DATA,
            f"Install `{name}`, or run the cell where it is.",
        )
    others = list_files_with_other_numbers(context, name) if quoted else []
    near = (
        f"Beside it there is `{others[0]}`, with another number: write that if you mean it."
        if others
        else "No file in the project has a similar name."
    )
    return leave_alone(
        f"A data file is missing: {name}.", SkipReason.MISSING_DATA, f"Put {name} where the cell looks for it. {near}"
    )


def _diagnose_missing_table(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    table = re.search(r"no such table: ([\w.]+)", context.failure.evalue)
    cells = "\n".join(c.source for c in context.notebook.cells).lower()
    if not table or _MAKES_TABLES.search(cells) or remedies.has_remedy(context):
        return None
    name = table[1].rpartition(".")[2]
    advice = "Put the database where the cell looks for it: SQLite makes an empty one where there is none."
    if tables := context.ask(questions.LIST_SQLITE_TABLES):
        known = ", ".join(f"`{t}`" for t in list(tables)[:5]) + (", …" if len(tables) > 5 else "")
        advice = f"What is open has {known}: open the database that has `{name}`, or make the table first."
    return leave_alone(f"The database has no table `{name}`, and no cell makes one.", SkipReason.MISSING_DATA, advice)


def _is_working_folder(context: RuleContext, name: str) -> bool:
    """Whether what is missing is the folder that the failing call is to run a program in: Python names whichever of the two is not there."""
    calls = [n for n in context.list_failing_nodes(ast.Call) if any(k.arg == "cwd" for k in n.keywords)]
    folders = [k.value for call in calls for k in call.keywords if k.arg == "cwd"]
    if any(isinstance(folder, ast.Constant) and folder.value == name for folder in folders):
        return True
    asked = [folder for folder in folders if not isinstance(folder, ast.Constant) and _only_joins(folder)]
    return any(context.is_true(f"str({ast.unparse(folder)}) == {name!r}") for folder in asked)


def _only_joins(path: ast.expr) -> bool:
    """Whether an expression calls nothing but what makes a path of names, so that it can be asked for again."""
    called = (read_last_name(n.func) for n in ast.walk(path) if isinstance(n, ast.Call))
    return all(name in ("Path", "PurePath", "fspath", "join", "joinpath", "str") for name in called)


def diagnose_missing_module(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A module that is not installed, with what brings it."""
    failure = context.failure
    absent = failure.ename == "ModuleNotFoundError" or (
        failure.ename == "ImportError"
        and re.search(r"No module named|optional dependency|(pip|conda) install", failure.evalue)
    )
    requirement, module, known = find_wanted_distribution(context)
    if not (absent or requirement) or remedies.has_remedy(context):
        return None
    module = module or (re.findall(r"'([\w.]+)'", failure.evalue) or ["a module"])[0]
    advice = _advise_of_moved_module(context, module) or "Add the module's file: it did not come with the notebook."
    if requirement and module not in MOVED:
        line = Install(requirement, module).line
        advice = f"`{line}`" if known else _advise_of_unknown_package(module, line)
    return leave_alone(f"The module {module} isn't installed here.", SkipReason.MISSING_MODULE, advice)


def _advise_of_unknown_package(module: str, line: str) -> str:
    """What to do where nobody here knows the module: a slip's name may be a distribution of whoever waits for such slips."""
    near = find_nearest(module.split(".")[0], list_known_modules())
    if len(near) != 1:
        return f"`{line}`, if that is the package you mean"
    meant = Install(find_distribution(near[0])[0], near[0]).line
    return f"If `{near[0]}` is meant, correct the name, and `{meant}`; else `{line}`"


def _advise_of_moved_module(context: RuleContext, module: str) -> str:
    """What to do where a library that is installed no longer has the module, or an extension goes by another name; empty where neither is known."""
    if module in MOVED:
        return f"The extension is `{MOVED[module]}` now: install what it comes with, and load it by that name."
    package = module.split(".")[0]
    change = load_knowledge().module(module)
    if change is not None and change[1] and change[1].split(".")[0] != package:
        return f"`{module}` is `{change[1]}` now: `{Install(find_distribution(change[1])[0], change[1]).line}`, and import it from there."
    if package != module and package in context.ask(questions.LIST_MODULES):
        return f"`{package}` is installed, but this release of it has no `{module}`: what needs it (a file that was pickled, say) is of an older one."
    return ""


_LET_WRITE = "Where it is the sandbox that keeps it from writing (`jupyter selfheal doctor`), `heal --write` lets it."
_NOT_WRITABLE = re.compile(r"\[Errno (30|75)\]")
"""A place that is read-only; and what an overlay cannot copy before it is written to: it belongs to another of the user's groups."""


def diagnose_machine(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """What the machine lacks: a shared library, a program, a right, a display."""
    failure = context.failure
    if failure.ename == "PermissionError" or "requires access to a writable cache directory" in failure.evalue:
        return leave_alone(
            "The cell has no right to what it reads or writes here.",
            SkipReason.ENVIRONMENT,
            _LET_WRITE,
            confidence=85,
        )
    if failure.ename == "OSError" and _NOT_WRITABLE.match(failure.evalue):
        return leave_alone("The cell cannot write there.", SkipReason.ENVIRONMENT, _LET_WRITE, confidence=85)
    words = re.search(
        r"cannot open shared object|ExecutableNotFound|executables? are on your|no display name|CUDA|not found on your system|mechanism for your system|"
        r"command not found|is not installed or not in your PATH|Requested MovieWriter",
        failure.evalue,
    )
    if failure.ename == "CalledProcessError" and (ended := _ENDED.match(failure.evalue)):
        return _diagnose_command(ended)
    if words or failure.ename in ("ExecutableNotFound", "TclError", "CalledProcessError"):
        return leave_alone(
            "Something that the cell needs is missing on this machine.",
            SkipReason.MISSING_MODULE,
            failure.headline,
            confidence=85,
        )
    return None


_ENDED = re.compile(r"Command '(?:b['\"])?(.+?)['\"]?' (?:returned non-zero exit status (\d+)|died with)", re.DOTALL)


def _diagnose_command(ended: re.Match[str]) -> Diagnosis:
    """A program that the cell runs (`%%bash`, `subprocess`) and that failed: why stands in the output, not in the error."""
    command = ended[1].replace("\\n", "\n").strip().splitlines()[0][:80]
    how = f"ended with status {ended[2]}" if ended[2] else "was killed"
    advice = "What it said stands in the cell's output: mend the command, or what it reads."
    if ended[2] == "127":
        advice = "The shell finds no program of that name: install it, or correct the name."
    return leave_alone(
        f"A program that the cell runs {how}: `{command}`.", SkipReason.ENVIRONMENT, advice, confidence=85
    )
