"""``jupyter selfheal heal``: several notebooks, one after the other; one that cannot be run does not stop the others."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_selfheal.config import HEALERS, HealConfig
from jupyter_selfheal.errors import InfrastructureError, NotebookError, SelfHealError, UsageError
from jupyter_selfheal.notebook.outputs import healed_notebook
from jupyter_selfheal.notebook.read import Document, read
from jupyter_selfheal.notebook.records import NotebookReport, Status
from jupyter_selfheal.notebook.report import check_target, to_json, write_report
from jupyter_selfheal.notebook.run import Batch
from jupyter_selfheal.notebook.session import CELL_SECONDS, Session, Settings
from jupyter_selfheal.notebook.table import rendered
from jupyter_selfheal.notebook.write import check_writable, formatted, write_atomically

INTERRUPTED = "interrupted: nothing more was written, and nothing is left running"

Progress = Callable[[int, int, str], None]


def heal(options: argparse.Namespace) -> int:
    """Heal the notebooks, print the table, write the reports; the exit code of the worst notebook."""
    targets = targets_of(options)
    for path in options.report:
        check_target(path)
        check_writable(path)
    session = Session(settings_of(options), options.resume)
    found = []
    try:
        for path, target in targets.items():
            with _progress(path, shown=not options.quiet and sys.stderr.isatty()) as progress:
                found.append(_one(session, path, target, progress))
    except KeyboardInterrupt:
        raise SelfHealError(f"{INTERRUPTED}; go on with --resume {session.run}") from None
    finally:
        session.close()
    _show(options, session, found)
    for path in options.report:
        write_report(path, found)
        if not (options.json or options.quiet):
            print(f"report: {path}")
    return max(r.exit_code for r in found)


def _show(options: argparse.Namespace, session: Session, found: list[NotebookReport]) -> None:
    """Print what came of it, in the form that was asked for."""
    if options.json:
        print(json.dumps(to_json(found), ensure_ascii=False, indent=2))
    if options.json or options.quiet:
        return
    columns = shutil.get_terminal_size((160, 24)).columns
    if text := rendered([r for r in found if not r.error], verbose=options.verbose, columns=columns):
        print(text)
    if session.heals:
        upto = f" … {session.run}-{session.heals}" if session.heals > 1 else ""
        print(f"how it went, step by step: jupyter selfheal trace {session.run}-1{upto}")
    not_asked = not options.offline and "language_model" not in session.settings.config.healers
    if not_asked and any(r.count(Status.NOT_HEALED) for r in found):
        print(
            "no language model was asked: name it (--healers rules,search,language_model) to send the failing cells to one"
        )


def settings_of(options: argparse.Namespace) -> Settings:
    """The command's options as settings. A model is asked only where it is named: that is the consent to send."""
    named: tuple[str, ...] = options.healers or tuple(h for h in HEALERS if h != "language_model")
    changes: dict[str, Any] = {"healers": named, "consent": "language_model" in named}
    changes |= {"offline": options.offline, "install": options.install}
    if options.attempts is not None:
        changes["attempts"] = options.attempts
    if options.budget is not None:
        changes |= {"budget_usd": options.budget, "session_budget_usd": options.budget}
    return Settings(
        HealConfig().with_(**changes),
        approve=options.approve or ("safe" if options.in_place else "all"),
        cell_seconds=options.timeout or CELL_SECONDS,
        writes="allow" if options.write else "discard",
        fresh=options.fresh,
    )


def targets_of(options: argparse.Namespace) -> dict[Path, Path]:
    """Where each notebook's healed form goes. Raises :class:`UsageError` rather than overwrite what was not named."""
    notebooks: list[Path] = list(dict.fromkeys(options.notebooks))
    if options.in_place:
        return {path: path for path in notebooks}
    if options.output is not None and len(notebooks) > 1:
        raise UsageError("-o names one file, but there are several notebooks: use --output-dir")
    found: dict[Path, Path] = {}
    for path in notebooks:
        if options.output is not None:
            target = options.output
        elif options.output_dir is not None:
            target = options.output_dir / path.name
        else:
            target = path.with_name(f"{path.stem}.healed.ipynb")
        if target.resolve() in {p.resolve() for p in notebooks}:
            raise UsageError(f"{target} is the notebook itself: choose another place, or say --in-place")
        if target in found.values():
            raise UsageError(f"two of the notebooks are named {path.name}: heal them into different folders")
        found[path] = target
    return found


def _one(session: Session, path: Path, target: Path, progress: Progress) -> NotebookReport:
    """Heal one notebook and write it; what keeps it from running is one line, and part of the report."""
    try:
        document = read(path)
        check_writable(target)
        report, seen = Batch(document, session.tools(document, progress), session.limits).run()
        in_place = target == path
        if not report.fixes and in_place:
            return report
        text = formatted(healed_notebook(document, report, seen, in_place=in_place), document.form)
        if in_place:
            _check_unchanged(document)
        write_atomically(target, text)
        return replace(report, written=str(target))
    except (NotebookError, InfrastructureError) as error:
        print(f"jupyter selfheal: {' '.join(str(error).split())}", file=sys.stderr)
        return NotebookReport(str(path), error=str(error))


def _check_unchanged(document: Document) -> None:
    """Somebody may have saved the notebook while it was being healed: theirs is not overwritten."""
    if read(document.path).raw != document.raw:
        raise NotebookError(f"{document.path}: changed on disk while it was being healed: heal it again")


@contextmanager
def _progress(path: Path, *, shown: bool) -> Iterator[Progress]:
    """A progress bar on stderr while it is a terminal."""
    if not shown:
        yield lambda at, of, what: None
        return
    from tqdm import tqdm

    with tqdm(
        total=1, desc=path.name, unit="cell", leave=False, bar_format="{desc} {bar:20} {n}/{total} {postfix}"
    ) as bar:

        def progress(at: int, of: int, what: str) -> None:
            bar.total, bar.n = max(of, 1), at
            bar.set_postfix_str(what)

        yield progress
