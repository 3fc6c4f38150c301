"""Which code reaches outside of the process, or waits, by the names of what it calls and reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from jupyter_selfheal.inside.tree_names import read_called_name

REACHES_OUT = frozenset(
    {"input", "open", "exec", "eval", "exit", "quit", "getpass", "get_ipython", "system", "popen", "urlopen", "urlretrieve",
     "write", "writelines", "write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rename", "save", "savez", "savetxt", "savefig",
     "dump", "to_csv", "to_excel", "to_sql", "to_parquet", "to_pickle", "to_feather", "to_hdf", "connect", "execute", "commit", "sleep",
     "rmtree", "rmdir", "removedirs"}
)  # fmt: skip
"""Functions and methods whose effect outlives the run, or that wait."""
WORLD = frozenset(
    {"subprocess", "shutil", "requests", "urllib", "urllib3", "httpx", "aiohttp", "socket", "sqlite3", "sqlalchemy", "http", "smtplib",
     "ftplib", "multiprocessing", "threading", "getpass", "tempfile", "boto3", "os"}
)  # fmt: skip
"""Packages that everything outside is reached by."""


def list_imported(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that imports among the nodes bind, each with the package that it comes from."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (
                (name.asname or name.name.partition(".")[0], name.name.partition(".")[0]) for name in node.names
            )
        elif isinstance(node, ast.ImportFrom):
            yield from ((name.asname or name.name, (node.module or "").partition(".")[0]) for name in node.names)


def reaches_out(node: ast.AST, modules: Mapping[str, str]) -> bool:
    """Whether a statement has an effect that outlives the run, or waits. ``modules``: the package that each imported name comes from."""
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and modules.get(child.id) in WORLD:
            return True
        if isinstance(child, ast.Call) and read_called_name(child) in REACHES_OUT:
            return True
    return False
