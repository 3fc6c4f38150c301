"""A Sphinx extension for pages that are notebooks (MyST-NB, and so Jupyter Book 1): a build fails where a cell does, or heals.

Each page is run and healed when Sphinx reads it. ``selfheal = "check"`` changes nothing; with ``"heal"`` MyST-NB gets the healed page with its
outputs, while the file stays as it is. In both the build fails where cells are left that fail, and names all of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from jupyter_selfheal._version import __version__
from jupyter_selfheal.errors import SelfHealError, explain_import_error
from jupyter_selfheal.surfaces.notebook.executed import heal_document, name_failures
from jupyter_selfheal.surfaces.notebook.outputs import build_executed_notebook
from jupyter_selfheal.surfaces.notebook.read import Document, build_document, read_text_notebook
from jupyter_selfheal.surfaces.notebook.settings import APPROVALS, CELL_SECONDS
from jupyter_selfheal.surfaces.notebook.text_formats import has_code_cells
from jupyter_selfheal.surfaces.notebook.write import format_text

try:
    from sphinx.errors import ConfigError, ExtensionError
except ImportError as error:
    raise explain_import_error(error, "sphinx", "the Sphinx extension") from None

MODES = ("check", "heal")


def setup(app: Any) -> dict[str, object]:
    """Called by Sphinx: the settings of ``conf.py`` (or of ``sphinx.config`` in ``_config.yml``), and what is done when."""
    app.add_config_value("selfheal", "check", "env")
    app.add_config_value("selfheal_approve", "safe", "env")
    app.add_config_value("selfheal_timeout", CELL_SECONDS, "env")
    app.add_config_value("selfheal_offline", True, "env")
    app.connect("config-inited", check_settings)
    app.connect("source-read", heal_page)
    app.connect("env-purge-doc", forget_page)
    app.connect("env-merge-info", merge_failures)
    app.connect("env-check-consistency", fail_build)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def check_settings(app: Any, config: Any) -> None:
    """Raise Sphinx's ``ConfigError`` for a value that a setting does not take."""
    policies = tuple(name for name in APPROVALS if name != "ask")
    for name, choices in (("selfheal", MODES), ("selfheal_approve", policies)):
        if getattr(config, name) not in choices:
            raise ConfigError(f"{name} cannot be {getattr(config, name)!r}: it takes one of {', '.join(choices)}")


def heal_page(app: Any, docname: str, source: list[str]) -> None:
    """Run a page that is a notebook; with ``selfheal = "heal"`` put the healed one in the place of what Sphinx has read."""
    path = Path(app.env.doc2path(docname))
    config = app.config
    if path.suffix not in (".ipynb", ".md") or (path.suffix == ".md" and not has_code_cells(source[0])):
        return
    if any(
        PurePosixPath(path.as_posix()).match(p) for p in getattr(config, "nb_execution_excludepatterns", None) or ()
    ):
        return  # as MyST-NB itself takes its setting
    heals = config.selfheal == "heal"
    try:
        document = _read_page(path, source[0])
        report, seen = heal_document(
            document,
            approve=config.selfheal_approve if heals else "none",
            offline=config.selfheal_offline,
            timeout=float(config.selfheal_timeout),
        )
        if report.fixes:
            healed = format_text(document, report.healed) if document.text else ""
            source[0] = healed or json.dumps(build_executed_notebook(document, report, seen))
        failure = name_failures(report) if report.exit_code else ""
    except SelfHealError as error:
        failure = str(error) if str(path) in str(error) else f"{path}: {error}"
    if failure:
        _get_failures(app.env)[docname] = failure


def forget_page(app: Any, env: Any, docname: str) -> None:
    """What was found in a page is found anew when it is read again."""
    _get_failures(env).pop(docname, None)


def merge_failures(app: Any, env: Any, docnames: Iterable[str], other: Any) -> None:
    """Take over what another process has found (``-j``)."""
    found = _get_failures(other)
    _get_failures(env).update({name: found[name] for name in docnames if name in found})


def fail_build(app: Any, env: Any) -> None:
    """Raise, once all pages are read, where cells fail."""
    failures = _get_failures(env)
    if failures:
        how = "" if app.config.selfheal == "heal" else ' (selfheal = "heal" heals what can be healed)'
        raise ExtensionError("\n".join([f"cells fail{how}:", *(failures[name] for name in sorted(failures))]))


def _read_page(path: Path, text: str) -> Document:
    if path.suffix == ".md":
        return read_text_notebook(path, text)
    return build_document(path, json.loads(text))


def _get_failures(env: Any) -> dict[str, str]:
    """The line of each page in which cells fail; kept with Sphinx's environment, as pages that did not change are not read again."""
    if not hasattr(env, "selfheal_failures"):
        env.selfheal_failures = {}
    failures: dict[str, str] = env.selfheal_failures
    return failures
