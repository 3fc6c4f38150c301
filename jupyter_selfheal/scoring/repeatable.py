"""Does a cell print the same whenever and wherever it is run? Read off the text of the cell and of those that it depends on.

Only where it does, an output that is not as stored says something: of the code, or of the age of what is stored.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jupyter_selfheal import source as src
from jupyter_selfheal.model import Cell, Notebook
from jupyter_selfheal.source.chance import find_chance

_PASSING = re.compile(
    r"""\b(?:time|perf_counter|monotonic|process_time|now|utcnow|today|ctime|localtime|gmtime)(?:_ns)?\(\)  # the clock
      | (?m:^\s*%%?time(?:it)?\b) | \btimeit\b
      | \b(?:id|hash)\( | \b(?:uuid|urandom|secrets|getpid|SystemRandom)\b                                  # this process
      | \b(?:getcwd|environ|getenv|platform|hostname|gethostname|getuser|expanduser|cpu_count|psutil)\b     # this machine
      | \b(?:listdir|scandir|glob|rglob|iterdir|os\.walk|getmtime|getsize|stat)\( | \bPath\.(?:cwd|home)\b
      | \bsys\.(?:version|path|executable|platform|getsizeof|modules|argv)\b | \bgetsizeof\b | \bmemory_usage\b
      | __version__ | \bversion(?:_info)?\b | \bshow_versions\b                                             # this release
      | \brequests\. | \burlopen\( | \burllib\b | ["'](?:https?|ftp|s3|gs):// | \binput\(                  # the world
    """,
    re.VERBOSE,
)
"""What gives something else at another time, in another process, on another machine or with another release."""

_TRAINS = re.compile(
    r"\.(?:partial_)?fit(?:_\w+)?\(|\bcross_val\w*\(|\bcross_validate\(|SearchCV\(|\b(?:curve_fit|minimize|least_squares)\("
)
"""What ends in other last digits with another release of the library, whatever the seed."""


def is_repeatable(cell: Cell, notebook: Notebook) -> bool:
    """Whether, by the text, the cell prints the same whenever it is run."""
    return not cell.stale and _is_repeatable(cell.source, _list_sources_above(notebook, cell.id))


def is_passing(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints hangs on the clock, the process, the machine, the release or the network."""
    return any(map(_PASSING.search, _list_read_sources(cell.source, _list_sources_above(notebook, cell.id))))


def is_trained(cell: Cell, notebook: Notebook) -> bool:
    """Whether what the cell prints hangs on a model that was fitted, or on a numerical search."""
    return any(map(_TRAINS.search, _list_read_sources(cell.source, _list_sources_above(notebook, cell.id))))


@lru_cache(maxsize=64)
def _is_repeatable(source: str, above: tuple[str, ...]) -> bool:
    if src.is_foreign(source) or source.lstrip().startswith(("!", "%%")):
        return False
    return not any(map(_PASSING.search, _list_read_sources(source, above))) and not find_chance(source, above).sources


def _list_sources_above(notebook: Notebook, cell_id: str) -> tuple[str, ...]:
    return tuple(cell.source for cell in notebook.code_before(cell_id))


@lru_cache(maxsize=64)
def _list_read_sources(source: str, above: tuple[str, ...]) -> tuple[str, ...]:
    """The cell, and those above that it depends on."""
    return (source, *(above[n] for n in src.backward_slice(above, src.find_names(source).uses)))
