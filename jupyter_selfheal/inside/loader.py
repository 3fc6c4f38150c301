"""The one way from this folder into a kernel: modules as text, for an environment that may lack this package.

What a module needs is read from its imports, so there is no list to keep. The text that is sent makes the modules under their
own names, calls nothing, and leaves ``sys.modules`` as it was: an installed package of ours in the kernel's environment is
neither used nor disturbed. Compiled code goes along for a kernel of the same Python: to compile the search takes 0.1 s in each trial.
Here it is read from the byte code that Python keeps, once for all that need a module. Both are packed, as each trial reads and compiles what it is sent: 2 MB of literals took it 20 ms, a quarter of that takes 8.
"""

from __future__ import annotations

import ast
import base64
import importlib.util
import json
import marshal
import re
import zlib
from functools import cache
from pathlib import Path
from types import CodeType

from jupyter_selfheal.inside.parsing import parse_module

_PACKAGE = "jupyter_selfheal.inside"
_FOLDER = Path(__file__).parent
_DEFINITION = re.compile(r"^(?:@|(?:async def|class|def)\b)", re.MULTILINE)
"""The first definition of a module, above which its imports stand: to parse what is below takes ten times as long."""

_LOAD = '''
def load():
    """Make the modules, each after those it imports; return the last."""
    import base64, importlib.util, json, marshal, sys, types, zlib
    unpack = lambda packed: zlib.decompress(base64.b64decode(packed))
    if importlib.util.MAGIC_NUMBER == {magic!r}:
        codes = marshal.loads(unpack({codes!r}))
    else:
        sources = json.loads(unpack({sources!r}))
        codes = {{name: compile(text, "<selfheal " + name + ">", "exec") for name, text in sources.items()}}
    names = [*{packages!r}, *codes]
    before = {{name: sys.modules.pop(name) for name in names if name in sys.modules}}
    try:
        for name in names:
            module = sys.modules[name] = types.ModuleType(name)
            module.__path__ = []
            parent, _, last = name.rpartition(".")
            if parent:
                setattr(sys.modules[parent], last, module)
        for name, code in codes.items():
            module = sys.modules[name]
            exec(code, module.__dict__)
        return module
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)
'''

_PROBE = """
probe = load().probe
"""


@cache
def read_source(module: str) -> str:
    """The text of a module of this folder, named as in ``probes.expected``."""
    return _FOLDER.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8")


@cache
def list_needed(module: str) -> tuple[str, ...]:
    """The modules of this folder that one imports, each after those it imports itself; the module is the last."""
    needed: dict[str, None] = {}
    for name in _list_imports(module):
        needed.update(dict.fromkeys(list_needed(name)))
    return (*needed, module)


@cache
def write_loading_code(module: str) -> str:
    """Code that defines ``load()``, which makes the module and returns it."""
    needed = list_needed(module)
    sources = {f"{_PACKAGE}.{name}": read_source(name) for name in needed}
    inner = {f"{_PACKAGE}.{name.rpartition('.')[0]}".rstrip("."): None for name in needed}
    packages = [_PACKAGE.partition(".")[0], _PACKAGE, *(name for name in inner if name != _PACKAGE)]
    codes = {f"{_PACKAGE}.{name}": _read_code(name) for name in needed}
    texts, compiled = _pack_bytes(json.dumps(sources).encode()), _pack_bytes(marshal.dumps(codes))
    return _LOAD.format(sources=texts, packages=packages, codes=compiled, magic=importlib.util.MAGIC_NUMBER)


def _pack_bytes(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


@cache
def probe_source(module: str) -> str:
    """The source of a :class:`~jupyter_selfheal.model.Probe`: it defines ``probe(shell, last, argument)``, the module's own."""
    return read_source(module) if len(list_needed(module)) == 1 else write_loading_code(module) + _PROBE


@cache
def _read_code(module: str) -> CodeType:
    """The code of a module under the name that it has in a kernel."""
    name = f"{_PACKAGE}.{module}"
    spec = importlib.util.find_spec(name)
    read = getattr(spec and spec.loader, "get_code", None)
    code = (read and read(name)) or compile(read_source(module), name, "exec", dont_inherit=True)
    return _name_code(code, f"<selfheal {name}>")


def _name_code(code: CodeType, file: str) -> CodeType:
    consts = tuple(_name_code(const, file) if isinstance(const, CodeType) else const for const in code.co_consts)
    return code.replace(co_filename=file, co_consts=consts)


def _list_imports(module: str) -> list[str]:
    """The modules of this folder that the imports at the top of a module name."""
    names: list[str] = []
    for node in _parse_head(read_source(module)).body:
        if isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith(f"{_PACKAGE}."):
            inner = node.module[len(_PACKAGE) + 1 :]
            if _is_module(inner):
                names.append(inner)
            else:
                names += [f"{inner}.{alias.name}".lstrip(".") for alias in node.names]
    return names


def _parse_head(text: str) -> ast.Module:
    try:
        return parse_module(_DEFINITION.split(text, maxsplit=1)[0])
    except SyntaxError:  # it stands in a text
        return parse_module(text)


def _is_module(name: str) -> bool:
    return bool(name) and _FOLDER.joinpath(*name.split(".")).with_suffix(".py").exists()
