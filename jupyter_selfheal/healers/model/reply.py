"""What a language model answers: the schema that it must follow, and how an answer is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.model.context import FAILING, Labels
from jupyter_selfheal.model import JSON, Applicability, Case, Diagnosis, Edit, Insert, Locus, Patch, Replace, SkipReason
from jupyter_selfheal.numbers import read_number

SURE = 80
"""Confidence below which the environment is taken to be at fault, and no code is rewritten."""

_LOCI = {
    "code": Locus.CODE,
    "elsewhere": Locus.ELSEWHERE,
    "environment": Locus.ENVIRONMENT,
    "stop": Locus.CODE,
    "self": Locus.OURSELVES,
}
STOP = "stop"
"""The class of a failure that is meant: the user must decide, and no patch is right."""


def _build_object_schema(**properties: JSON) -> dict[str, JSON]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_TEXT: dict[str, JSON] = {"type": "string"}

SCHEMA = _build_object_schema(
    diagnosis=_build_object_schema(
        cause=_TEXT,
        cell=_TEXT,
        **{"class": {"type": "string", "enum": list(_LOCI)}},
        confidence={"type": "integer"},
    ),
    hypotheses={
        "type": "array",
        "items": _build_object_schema(
            title=_TEXT,
            cause=_TEXT,
            risk=_TEXT,
            edits={
                "type": "array",
                "items": _build_object_schema(
                    cell=_TEXT, action={"type": "string", "enum": ["replace", "insert_before"]}, source=_TEXT
                ),
            },
        ),
    },
)
"""The JSON schema of a fixing reply; of the features that structured outputs support only the common ones."""


class Malformed(Exception):
    """The reply is not what the schema says; the message says where."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply, read. ``notes`` say in words which hypotheses could not be used."""

    diagnosis: Diagnosis
    patches: tuple[Patch, ...]
    notes: tuple[str, ...] = ()

    def add_note(self, note: str) -> Reading:
        """The same, with one more note."""
        return replace(self, notes=(*self.notes, note))


def parse_first_object(text: str) -> dict[str, Any]:
    """The first JSON object of a text that has hypotheses, whatever stands around it. Raises :class:`Malformed`."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and "hypotheses" in value:
            return value
        at = text.find("{", at + 1)
    raise Malformed("there is no JSON object with hypotheses in it")


def parse_reply(text: str, case: Case, restore: Callable[[str], str]) -> Reading:
    """Read a reply as people write them. ``restore`` puts secrets back where placeholders stand. Raises :class:`Malformed`."""
    raw = _restore_secrets(parse_first_object(text), restore)
    entries = raw["hypotheses"]
    patches: list[Patch] = []
    dropped: list[str] = []
    seen: set[tuple[Any, ...]] = set()
    for n, entry in enumerate(
        [entries] if isinstance(entries, dict) else _read_field(raw, "hypotheses", list, "it"), 1
    ):
        if not isinstance(entry, dict):
            raise Malformed(f"hypothesis {n} is no object")
        patch, why = _parse_patch(entry, n, case)
        key = _build_canonical_key(patch)
        if why or key in seen:
            dropped.append(f"hypothesis {n}: {why or 'the same as an earlier one'}")
            continue
        seen.add(key)
        patches.append(patch)
    diagnosis = _parse_diagnosis(_read_diagnosis(raw, patches, case), case)
    return Reading(diagnosis, tuple(patches), tuple(dropped))


def _read_diagnosis(raw: Mapping[str, Any], patches: list[Patch], case: Case) -> dict[str, Any]:
    """The diagnosis, with what can be inferred where a field is missing: who proposes a change of code takes code to be at fault."""
    given = raw.get("diagnosis")
    if given is None or isinstance(given, str):
        given = {"cause": given or ""}
    if not isinstance(given, dict):
        raise Malformed(f"the reply: 'diagnosis' must be an object, not {type(given).__name__}")
    if not patches:
        return given
    here = case.failure.cell_id in patches[0].cells_touched
    inferred = {
        "cause": patches[0].cause or patches[0].title,
        "class": "code" if here else "elsewhere",
        "confidence": SURE,
    }
    return {**inferred, **{k: v for k, v in given.items() if v not in (None, "")}}


def _restore_secrets(value: Any, restore: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return restore(value)
    if isinstance(value, list):
        return [_restore_secrets(v, restore) for v in value]
    return {k: _restore_secrets(v, restore) for k, v in value.items()} if isinstance(value, dict) else value


def _read_field(raw: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    value = raw.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Malformed(f"{where}: {name!r} must be a {kind.__name__}, not {type(value).__name__}")
    return value


def _parse_diagnosis(raw: Mapping[str, Any], case: Case) -> Diagnosis:
    kind = _read_field(raw, "class", str, "the diagnosis").strip().lower()
    if kind not in _LOCI:
        raise Malformed(f"the diagnosis: class must be one of {', '.join(_LOCI)}, not {kind!r}")
    confidence = read_number(raw.get("confidence"), 0, 100)
    if confidence is None:
        raise Malformed("the diagnosis: confidence must be a number from 0 to 100")
    sure = round(confidence * 100 if 0 < confidence < 1 else confidence)
    locus = _LOCI[kind]
    if locus in (Locus.ENVIRONMENT, Locus.OURSELVES):
        sure = min(sure, SURE - 1)
    cell_id = Labels(case).find_cell_id(str(raw.get("cell", ""))) or case.failure.cell_id
    cause = _read_field(raw, "cause", str, "the diagnosis")
    if kind == STOP:
        advice = "Decide what you want here: the notebook means to stop, and no fix was applied."
        return Diagnosis(cause, Locus.CODE, cell_id, sure, SkipReason.DELIBERATE, advice)
    return Diagnosis(cause, locus if sure >= SURE else Locus.ENVIRONMENT, cell_id, sure)


def _parse_patch(raw: Mapping[str, Any], number: int, case: Case) -> tuple[Patch, str | None]:
    """The patch of one hypothesis, and why it cannot be used (None where it can)."""
    where = f"hypothesis {number}"
    edits: list[Edit] = []
    for entry in _list_edits(raw, where):
        if not isinstance(entry, dict):
            raise Malformed(f"{where}: an edit is no object")
        edit, why = _parse_edit(entry, where, case)
        if why:
            return Patch((), ""), why
        edits += [edit] if edit is not None else []
    risk = str(raw.get("risk", "")).strip()
    patch = Patch(
        edits=tuple(edits),
        title=" ".join(str(raw.get("title") or "").split())[:120] or "Change the cell",
        cause=str(raw.get("cause", "")).strip(),
        healer="language_model",
        applicability=Applicability.UNSAFE,
        why="proposed by a language model",
        risk=" ".join(risk.split())[:200],
        prior=_estimate_prior(number),
    )
    return patch, None if edits else "it changes nothing"


def _list_edits(raw: Mapping[str, Any], where: str) -> list[Any]:
    """The edits; one of them may stand by itself, or its source in the hypothesis."""
    edits = raw.get("edits", raw.get("edit"))
    if edits is None and isinstance(raw.get("source"), str):
        edits = [raw]
    return [edits] if isinstance(edits, dict) else _read_field({"edits": edits}, "edits", list, where)


_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n(?P<code>.*?)\r?\n?```\s*", re.DOTALL)


def strip_fence(source: str) -> str:
    """A source without the fence of Markdown that stands around all of it."""
    match = _FENCE.fullmatch(source)
    return match["code"] if match else source


def _estimate_prior(number: int) -> float:
    """Of the hypothesis of that number: the model gives the likeliest first."""
    return max(0.1, 0.6 - 0.1 * (number - 1))


def _parse_edit(raw: Mapping[str, Any], where: str, case: Case) -> tuple[Edit | None, str | None]:
    source = strip_fence(_read_field(raw, "source", str, where))
    label, labels, action = str(raw.get("cell") or FAILING), Labels(case), raw.get("action") or "replace"
    cell_id = labels.find_cell_id(label)
    if not cell_id:
        return None, f"there is no cell {label!r}"
    source = source.rstrip("\n") if not labels.find_source(cell_id).endswith("\n") else source
    if action == "insert_before":
        return Insert.above(cell_id, source), None
    if action != "replace":
        raise Malformed(f"{where}: action must be replace or insert_before, not {action!r}")
    if case.notebook.index(cell_id) >= 0 and case.notebook.cell(cell_id).kind != "code":
        return None, f"{label!r} is no code cell"
    old = labels.find_source(cell_id)
    return (None if source == old else Replace(cell_id, old, source)), None


def _build_canonical_key(patch: Patch) -> tuple[Any, ...]:
    """Equal for patches that differ in formatting and comments only."""
    return tuple(
        (type(e).__name__, e.cell_id, src.canonicalise(e.source))
        for e in patch.edits
        if isinstance(e, Replace | Insert)
    )
