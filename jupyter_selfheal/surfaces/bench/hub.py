"""``--from-hub``: the published records of a set, by the library ``datasets``, as a local file of JSON lines."""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal.errors import UsageError


@dataclass(frozen=True, slots=True)
class HubSet:
    """Where the Hub has a set's records."""

    name: str
    configuration: str
    split: str


HUB = {
    "humaneval": HubSet("openai/openai_humaneval", "openai_humaneval", "test"),
    "humanevalfix": HubSet("bigcode/humanevalpack", "python", "test"),
    "mbpp": HubSet("google-research-datasets/mbpp", "sanitized", "test"),
}


def download_records(name: str, path: Path) -> None:
    """Write the records of a set to a file. Raises UsageError, in a line that says what to do, where that cannot be done."""
    if name not in HUB:
        raise UsageError(f"--from-hub knows {', '.join(HUB)}, not {name}: give its PATH")
    if path.exists():
        raise UsageError(f"{path} is there already: leave out --from-hub to use it, or name another file")
    wanted = HUB[name]
    try:
        datasets = importlib.import_module("datasets")
    except ImportError:
        raise UsageError(
            "--from-hub needs the library datasets: pip install datasets, or give a local file as PATH"
        ) from None
    try:
        with _quiet_libraries():
            records = [dict(r) for r in datasets.load_dataset(wanted.name, wanted.configuration, split=wanted.split)]
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    except Exception as error:  # each of the library's many layers has errors of its own
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise UsageError(f"{wanted.name} cannot be had from the Hub ({why}): give a local file as PATH") from error
    path.write_text(lines, encoding="utf-8")


@contextlib.contextmanager
def _quiet_libraries() -> Iterator[None]:
    """What the libraries of the Hub warn of, a line for each of their tries, is in the one line that says what came of it."""
    loggers = [logging.getLogger(name) for name in ("datasets", "huggingface_hub")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
