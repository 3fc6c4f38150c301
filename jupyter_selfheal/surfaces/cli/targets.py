"""What a command is to do: its notebooks, and where the healed form of each goes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.cli.discover import HEALED_SUFFIX, Place, find_notebooks, resolve_path
from jupyter_selfheal.surfaces.cli.one import Job
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.text_formats import SUFFIXES as TEXT_SUFFIXES


def plan_jobs(options: argparse.Namespace) -> tuple[list[Job], list[NotebookReport]]:
    """What is to be done, and a report for each folder that could not be read. Raises :class:`UsageError` for what cannot be done."""
    leave_out = [options.output_dir] if options.output_dir is not None else []
    discovery = find_notebooks(options.notebooks, options.include, options.exclude, leave_out)
    targets = choose_targets(options, discovery.places)
    at_once = options.jobs is not None and options.jobs > 1
    if at_once and options.approve == "ask":
        raise UsageError("--approve ask needs one notebook at a time: leave out --jobs")
    if options.cluster and (at_once or options.approve == "ask"):
        other = "--jobs" if at_once else "--approve ask"
        raise UsageError(f"--cluster cannot be combined with {other}: leave one of the two out")
    several = len(discovery.places) > 1
    copy_all = options.output_dir is not None
    jobs = [
        Job(place.path, target, n if several else 0, copy_healthy=copy_all or place.folder is None)
        for n, (place, target) in enumerate(zip(discovery.places, targets, strict=True), start=1)
    ]
    return jobs, [NotebookReport(str(path), error=f"{path}: {why}") for path, why in discovery.problems]


def choose_targets(options: argparse.Namespace, places: Sequence[Place]) -> list[Path | None]:
    """Where each notebook's healed form goes; None for nowhere.

    Raises :class:`UsageError` rather than overwrite what was not named.
    """
    if options.command == "check":
        return [None] * len(places)
    if options.in_place:
        return [place.path for place in places]
    if options.output is not None and len(places) > 1:
        raise UsageError("-o names one file, but there are several notebooks: use --output-dir")
    given = {resolve_path(place.path) for place in places}
    targets: dict[Path, Path] = {}
    for place in places:
        target = _choose_target(options, place)
        if resolve_path(target) in given:
            raise UsageError(f"{target} is the notebook itself: choose another place, or say --in-place")
        if target in targets:
            raise UsageError(f"two of the notebooks are named {place.path.name}: heal them into different folders")
        targets[target] = place.path
    return list(targets)


def _choose_target(options: argparse.Namespace, place: Place) -> Path:
    if options.output is not None:
        target: Path = options.output
        return target
    if options.output_dir is not None:
        folder: Path = options.output_dir
        return folder / (place.path.relative_to(place.folder) if place.folder is not None else place.path.name)
    if place.path.suffix in TEXT_SUFFIXES:
        return place.path.with_name(f"{place.path.stem}.healed{place.path.suffix}")
    return place.path.with_name(place.path.name.removesuffix(".ipynb") + HEALED_SUFFIX)
