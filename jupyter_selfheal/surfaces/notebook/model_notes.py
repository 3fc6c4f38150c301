"""What keeps a language model that was named from healing anything, said before anything is run or paid."""

from __future__ import annotations

from dataclasses import replace

from jupyter_selfheal import registry
from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.errors import ConfigError
from jupyter_selfheal.keys import find_missing_key
from jupyter_selfheal.surfaces.notebook.read import Document
from jupyter_selfheal.surfaces.notebook.settings import Settings


def list_model_notes(settings: Settings) -> tuple[str, ...]:
    """A line each; none where no model was named, or nothing is in its way."""
    config = settings.config
    if config.offline or not any(registry.load_traits(name).paid for name in config.healers):
        return ()
    from jupyter_selfheal import engine

    if why := engine.why_no_model(config):
        return (f"no model will be asked: {why}",)
    notes = [f"no model will judge: {why}"] if (why := _explain_no_judge(config)) else []
    if settings.approve == "safe":
        notes.append(
            "a model's fix is never applied by --approve safe (with --in-place, and in papermill, the default): say --approve all or ask"
        )
    return tuple(notes)


def _explain_no_judge(config: HealConfig) -> str:
    """What a judge of another provider lacks; empty where nothing."""
    if not config.judge_provider or config.replay:
        return ""
    try:
        missing = find_missing_key(registry.load_provider(config.judge_provider), config.judge_base_url, config)
    except ConfigError as error:
        return str(error)
    return f"no key: set {missing}" if missing else ""


def add_model_notes(document: Document, settings: Settings) -> Document:
    """The document with these among its notes, for surfaces that have no other place to say them."""
    return replace(document, notes=(*document.notes, *list_model_notes(settings)))
