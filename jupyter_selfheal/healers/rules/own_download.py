"""FIL112: a download of a file that the notebook's own repository has."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.own_address import OwnFile, find_file_of_address
from jupyter_selfheal.healers.rules.context.written_texts import read_text
from jupyter_selfheal.healers.rules.local_copy import NETWORK
from jupyter_selfheal.model import Applicability, Failure, Patch

LIBRARY = re.compile(r"(?:urllib\.)?(?:request\.)?urlretrieve|wget\.download")
"""What writes the file of an address, and takes its name as the second argument."""
NAMING = re.compile(r"\bbasename\(|\.r?split\(\s*['\"]/['\"]|\.rpartition\(\s*['\"]/['\"]\s*\)|Path\(\w+\)\.name")
"""How a function of the notebook takes the file's name from its address."""
MORE = re.compile(r"\bjoin\(|makedirs|mkdir|chdir|[Zz]ip[Ff]ile|tarfile|gzip|extract|unpack|decompress|\breturn\b")
"""What it does besides writing the file into the working directory."""
WRITING = re.compile(r"\burlretrieve\(|wget\.download\(|\burlopen\(")


class OwnDownload(Rule):
    """Take the file that lies in the project, where its address cannot be reached.

    **Failure** `URLError: <urlopen error [Errno -3] Temporary failure in name resolution>` at
    `download("https://github.com/me/course/raw/master/code/plots.py")`, in a notebook of the repository `me/course`, which has `code/plots.py`.

    **Fix** `download(Path('../code/plots.py').resolve().as_uri())`, the file's own address, for each such call of the cell from the failing one on:
    `urlretrieve`, `wget.download`, or a function of the notebook that does nothing else than to write the file under its own name. An address that is put together of what
    the notebook assigns (`REPO + "code/plots.py"`) is read as the text that it is.

    **Fix safety** Safe: the address names this very repository on its usual branch, the whole path agrees, and git's remote or, without one, the project's own metadata
    (`pyproject.toml`, `CITATION.cff`, a badge of its builds or of Binder at the README's top) say that it is this repository. Unsafe where only the folder's name or prose
    names the repository, as a credit for data does. Silent for other repositories' files, for a tag or a commit, where the result of the call is used,
    and where the function puts the file elsewhere or unpacks it.
    """

    code = "FIL112"
    name = "download of the project's own file"
    enames = frozenset({"URLError", "HTTPError", "gaierror", "ConnectionError", "ConnectTimeout"})
    applicability = Applicability.SAFE
    why = "The address names this very repository, which has the file at the same path."

    def matches(self, failure: Failure) -> bool:
        return super().matches(failure) and NETWORK.search(failure.evalue + failure.traceback) is not None

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        failing = context.failing_statement
        call = _read_call(failing)
        if failing is None or call is None or not _only_downloads(context, call.func):
            return
        here = context.view_cell(context.failure.cell_id)
        splices: list[Splice] = []
        found = []
        for statement in here.failing_tree.body:
            other = _read_call(statement)
            if other is None or statement.lineno < failing.lineno or ast.dump(other.func) != ast.dump(call.func):
                continue
            own = _find_copy(here, other)
            if own:
                start, end = here.span(other.args[0])
                splices.append((start, end, f"Path({own.path!r}).resolve().as_uri()"))
                found.append(own)
            elif other is call:
                return
        if splices:
            safe = all(own.is_own for own in found)
            path = found[0].path
            yield self.patch(
                here.replace(here.cell_id, [*splices, *here.add_imports(["from pathlib import Path"])]),
                f"Take `{path}`" + (f" and {len(found) - 1} more" if len(found) > 1 else ""),
                f"The address cannot be reached here, and it names `{path}` of this repository."
                if safe
                else f"The address cannot be reached here, and `{path}` lies at its path.",
                applicability=Applicability.SAFE if safe else Applicability.UNSAFE,
                why=self.why
                if safe
                else "Only the folder's name or prose names the repository: the file here may hold other data.",
                prior=0.85 if safe else 0.8,
            )


def _read_call(statement: ast.stmt | None) -> ast.Call | None:
    """The call with an address that a statement is, and nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call if isinstance(call, ast.Call) and 1 <= len(call.args) <= 2 and not call.keywords else None


def _find_copy(context: RuleContext, call: ast.Call) -> OwnFile | None:
    """The file that a call downloads; None where the project has it not, and where it lies in the very place that is written to: opened for that, it
    would be emptied before it is read."""
    address, *rest = (read_text(context, a) for a in call.args)
    own = find_file_of_address(context, address) if address else None
    if own is None or None in rest:
        return None
    written = posixpath.normpath(rest[0] if rest and rest[0] else posixpath.basename(own.path))
    return own if posixpath.normpath(own.path) != written else None


def _only_downloads(context: RuleContext, func: ast.expr) -> bool:
    """Whether a function writes the file of its address into the working directory, and does nothing else."""
    if LIBRARY.fullmatch(ast.unparse(func)):
        return True
    name = read_last_name(func) if isinstance(func, ast.Name) else ""
    made = [(view, n) for view in context.look_upwards() for n in view.walk(ast.FunctionDef) if n.name == name]
    if len(made) != 1:
        return False
    text = src.extract_text(made[0][0].source, made[0][1])
    return bool(NAMING.search(text) and WRITING.search(text)) and MORE.search(text) is None
