"""Causes outside of the code: input, memory, credentials, the network, data, modules, the machine."""

from __future__ import annotations

import re

from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.missing_module import find_wanted_distribution
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, left_alone, line_of
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

CREDENTIAL_NAMES = re.compile(
    r"Authentication|Unauthorized|Forbidden|Credential|PermissionDenied|InvalidApiKey|LoginError"
)

CREDENTIAL_WORDS = re.compile(
    r"\b40[13]\b|[Aa][Pp][Ii][ _]?[Kk]ey|access[ _]token|credentials?\b|not authenticated|Unauthorized|log ?in required"
)


def input(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    asks = "input(" in context.failure.source or "getpass" in context.failure.source or "input(" in context.location[1]
    if context.failure.ename == "StdinNotImplementedError" or (context.failure.ename == "EOFError" and asks):
        return left_alone(
            "The cell asks for input.", SkipReason.INPUT, "Run it in a notebook, or give the value in the cell."
        )
    return None


def memory(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    if context.failure.ename in ("MemoryError", "_ArrayMemoryError", "OutOfMemoryError"):
        return left_alone("Out of memory.", SkipReason.MEMORY, "Work on a part of the data, or on a larger machine.")
    return None


def credential(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    failure = context.failure
    environ = failure.ename == "KeyError" and re.search(r"\benviron\b", line_of(context)) is not None
    if environ and not remedies.has_remedy(context):
        name = failure.evalue.strip("'\"")
        return left_alone(
            f"The environment variable {name} is not set.",
            SkipReason.MISSING_CREDENTIAL,
            f"Set {name} and run the cell again.",
        )
    refused = CREDENTIAL_NAMES.search(failure.ename) or (
        failure.ename
        in ("HTTPError", "HTTPStatusError", "ValueError", "RuntimeError", "OSError", "APIError", "Exception")
        and CREDENTIAL_WORDS.search(failure.evalue)
    )
    if refused and "_mock" not in failure.ename:
        return left_alone(
            "A service refused the access.",
            SkipReason.MISSING_CREDENTIAL,
            "Give the service a valid key or login.",
            confidence=90,
        )
    return None


def network(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    failure = context.failure
    named = failure.ename in NETWORK_NAMES or failure.ename.endswith(("ConnectionError", "Timeout"))
    if failure.kind is FailureKind.RAISED and failure.ename in ("TimeoutError", "timeout"):
        named = True
    if named or NETWORK_WORDS.search(failure.evalue) or re.search(r"gaierror|urlopen error", failure.traceback):
        return left_alone("The cell needs the network.", SkipReason.NETWORK, "Run it where the address can be reached.")
    return None


def missing_data(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    failure = context.failure
    if failure.ename == "LookupError" and "Resource" in failure.evalue and "nltk" in failure.evalue.lower():
        data = re.search(r"nltk\.download\('(\w+)'\)", failure.evalue)
        return left_alone(
            "A data set of NLTK is not there.",
            SkipReason.MISSING_DATA,
            f"Run `nltk.download('{data[1] if data else '…'}')`.",
        )
    worded = r"No such file or directory|does not exist|[Uu]nable to open file|not found\.?$"
    missing = (
        failure.ename in ("FileNotFoundError", "NotADirectoryError") or "No such file or directory" in failure.evalue
    )
    if not missing and failure.ename in ("OSError", "IOError", "HDF5ExtError", "EmptyDataError"):
        missing = re.search(worded, failure.evalue) is not None
    if not missing or remedies.has_remedy(context):
        return None
    found = re.search(r"'([^']+)'", failure.evalue)
    name = found[1] if found else "the file"
    return left_alone(
        f"File not found: {name}. No close match in the project.",
        SkipReason.MISSING_DATA,
        f"Put {name} where the cell reads it.",
    )


def missing_module(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    failure = context.failure
    absent = failure.ename == "ModuleNotFoundError" or (
        failure.ename == "ImportError"
        and re.search(r"No module named|optional dependency|(pip|conda) install", failure.evalue)
    )
    requirement, module, known = find_wanted_distribution(context)
    if not (absent or requirement) or remedies.has_remedy(context):
        return None
    module = module or (re.findall(r"'([\w.]+)'", failure.evalue) or ["a module"])[0]
    advice = "Add the module's file, which did not come with the notebook."
    if requirement:
        line = Install(requirement, module).line
        advice = f"`{line}`" + ("" if known else ", if the distribution of that name is meant")
    return left_alone(f"The module {module} is not installed here.", SkipReason.MISSING_MODULE, advice)


def machine(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """What the machine lacks: a shared library, a program, a right, a display."""
    failure = context.failure
    words = re.search(
        r"cannot open shared object|ExecutableNotFound|executables? are on your|no display name|CUDA|not found on your system|"
        r"command not found|is not installed or not in your PATH",
        failure.evalue,
    )
    if words or failure.ename in ("PermissionError", "ExecutableNotFound", "TclError", "CalledProcessError"):
        return left_alone(
            "The machine lacks something that the cell needs.",
            SkipReason.MISSING_MODULE,
            failure.headline,
            confidence=85,
        )
    return None
