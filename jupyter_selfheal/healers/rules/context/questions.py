"""Every question that rules ask of the live state: where it is answered, how the answer is read, and what no answer means.

A question is named ``module.function`` of :mod:`jupyter_selfheal.inside.probes`; a test holds this list to the functions there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from jupyter_selfheal.healers.rules.context.objects import Keys, LiveState, ObjectInfo, Signature, Table, ValueText
from jupyter_selfheal.model import JSON

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Question(Generic[T_co]):
    """One question; ``unknown`` is its answer where there is none (no state at hand, or the question raised)."""

    name: str
    read: Callable[[Any], T_co]
    unknown: T_co


def _list_names(raw: Any) -> list[str]:
    return [n for n in raw if isinstance(n, str)]


def _list_rows(raw: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in raw]


# --- objects
SURVEY = Question("live_objects.survey", LiveState.from_json, LiveState())
DESCRIBE = Question[list[ObjectInfo | None] | None](
    "live_objects.describe", lambda raw: [ObjectInfo.from_json(r) if r else None for r in raw], None
)
KEYS = Question[list[Keys | None] | None](
    "live_objects.keys", lambda raw: [Keys.from_json(r) if r else None for r in raw], None
)
TABLE = Question[Table | None]("live_objects.table", Table.from_json, None)
SIGNATURE = Question[Signature | None]("live_objects.signature", Signature.from_json, None)
VALUES = Question[list[ValueText | None] | None](
    "live_objects.show_values", lambda raw: [ValueText(*r) if r else None for r in raw], None
)
NUMBER = Question[float | None]("live_objects.number", lambda raw: raw, None)
ARE_TRUE = Question[list[bool]]("live_objects.are_true", list, [])

# --- libraries
RESOLVE = Question[list[bool]]("libraries.resolve", list, [])
CHECK_IMPORTS = Question[list[bool] | None]("libraries.check_imports", list, None)
SELECT_FITTING = Question[list[tuple[Any, ...]]]("libraries.select_fitting", _list_rows, [])
REFERENCE = Question[dict[str, Any]]("libraries.reference", dict, {})
LIST_MEMBERS = Question[list[str] | None]("libraries.list_members", list, None)
LIST_MODULES = Question[list[str]]("libraries.list_modules", _list_names, [])
IS_OF_LIBRARY = Question[bool]("libraries.is_of_library", bool, False)
NAME_DEFINITION = Question[str | None]("libraries.name_definition", str, None)
FIND_MODULES = Question[list[tuple[Any, ...]]]("packages.find_modules", _list_rows, [])
FIND_DEFINITIONS = Question[list[tuple[Any, ...]]]("packages.find_definitions", _list_rows, [])

# --- the project's files
FIND_FOLDERS = Question[list[str]]("project_files.find_folders", _list_names, [])
WEIGH_FOLDERS = Question[list[list[int]] | None]("project_files.weigh_folders", list, None)
LIST_BOUND_HERE = Question[list[str] | None]("project_files.list_bound_here", list, None)
IS_HERE_ON_PATH = Question[bool]("project_files.is_here_on_path", bool, False)
NAME_MISSING_PATH = Question[str]("project_files.name_missing_path", str, "")
LOOK_AROUND = Question[dict[str, JSON] | None]("project_files.look_around", dict, None)
FIND_FOLDER_OF_CODE = Question[str]("project_files.find_folder_of_code", str, "")

# --- values
NAME_LITERAL = Question[str]("cell_values.name_literal", str, "")
SELECT_DATE_FORMATS = Question[list[str]]("cell_values.select_date_formats", _list_names, [])
LIST_SQLITE_TABLES = Question[dict[str, list[str]]]("cell_values.list_sqlite_tables", dict, {})
LIST_MATPLOTLIB_PROPERTIES = Question[list[str]]("cell_values.list_matplotlib_properties", _list_names, [])
LIST_DECODING = Question[dict[str, Any] | None]("cell_values.list_decoding", dict, None)
LIST_EXHAUSTED = Question[list[str]]("cell_values.list_exhausted", _list_names, [])
