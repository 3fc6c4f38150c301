"""FIL108: a table that is read from the network, while a file of its name lies in the project."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, questions
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.own_address import find_file_of_address
from jupyter_selfheal.healers.rules.context.written_texts import read_text
from jupyter_selfheal.model import Applicability, Failure, Patch

READERS = frozenset({"read_csv", "read_table", "read_json", "read_excel", "read_html", "read_fwf", "read_pickle", "loadtxt", "genfromtxt", "imread"})  # fmt: skip
"""What takes an address as well as a path."""
NETWORK = re.compile(
    r"urlopen error|Name or service not known|Temporary failure in name resolution|Network is unreachable|getaddrinfo failed|HTTP Error 4"
)


class LocalCopy(Rule):
    """Read the file that lies in the project, where its address cannot be reached.

    **Failure** `URLError: <urlopen error [Errno -3] Temporary failure in name resolution>`, `HTTPError: HTTP Error 404: Not Found` at
    `pd.read_csv("https://raw.githubusercontent.com/me/course/master/data/rivers.csv")`, where `data/rivers.csv` is in the notebook's tree.
    Also where the address is put together: `BASE + "data/rivers.csv"`, `f"{BASE}/data/rivers.csv"`.

    **Fix** `pd.read_csv("data/rivers.csv")`: the one file of this name, or the one whose folders agree with the address too.

    **Fix safety** Safe where the address names this very repository on its usual branch, with the whole path, by git's remote or, without one, by the project's
    own metadata (`pyproject.toml`, `CITATION.cff`, a badge of its builds or of Binder at the README's top). Unsafe otherwise, also where the folder's name or prose
    names the repository, as a credit for data does: the address may hold other data. Stored outputs decide. Silent where the name says nothing (`data.csv` in another
    folder than the address has) and where several files fit.
    """

    code = "FIL108"
    name = "copy of a download in the project"
    enames = frozenset({"URLError", "HTTPError", "gaierror", "ConnectionError", "FileNotFoundError"})
    applicability = Applicability.UNSAFE
    why = "The file in the project may hold other data than the address."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and NETWORK.search(failure.evalue + failure.traceback) is not None

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) not in READERS:
                continue
            given = (
                call.args[0]
                if call.args
                else next((k.value for k in call.keywords if k.arg == "filepath_or_buffer"), None)
            )
            address = _read_address(context, given) if given is not None else ""
            own = find_file_of_address(context, address) if address else None
            path = own.path if own else (find_copy(context, address) if address else "")
            if given is not None and path:
                safe = own is not None and own.is_own
                yield self.patch(
                    context.replace_here((*context.span(given), repr(path))),
                    f"Read `{path}`",
                    f"The address cannot be reached here, and {f'it names `{path}` of this repository' if safe else f'`{path}` has its name'}.",
                    applicability=Applicability.SAFE if safe else Applicability.UNSAFE,
                    why="The address names this very repository, which has the file at the same path."
                    if safe
                    else self.why,
                    prior=0.85 if safe else 0.8,
                )
                return


def _read_address(context: RuleContext, node: ast.expr) -> str:
    """The address that an argument is, as it stands there or is put together of what the notebook assigns; empty where it is none."""
    text = read_text(context, node) or ""
    return text if re.match(r"(?:https?|ftp)://", text) else ""


def find_copy(context: RuleContext, address: str) -> str:
    """The path of the one file in the project that agrees with an address in its name, and with most of its folders; else empty."""
    parts = [p for p in unquote(urlsplit(address).path).split("/") if p]
    if not parts or "." not in parts[-1]:
        return ""
    raw = context.ask(questions.LOOK_AROUND, path=parts[-1])
    named = [p.replace("\\", "/") for p in raw["named"]] if isinstance(raw, dict) else []
    ranked = sorted(
        ((_count_same_tail(p.split("/"), parts), p) for p in named if posixpath.basename(p) == parts[-1]), reverse=True
    )
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return ""
    agreed, path = ranked[0]
    is_common = re.match(r"(?:data|train|test|index|file|table|input|output|results?)\d*\.", parts[-1], re.I)
    return path if agreed > 1 or not is_common else ""


def _count_same_tail(path: list[str], address: list[str]) -> int:
    count = 0
    while count < min(len(path), len(address)) and path[-1 - count] == address[-1 - count]:
        count += 1
    return count
