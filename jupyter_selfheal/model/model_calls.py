"""One call of a language model: what is asked and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field

from jupyter_selfheal.model.cost import Cost
from jupyter_selfheal.model.notebook import JSON


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a language model. ``schema`` is a JSON schema that the reply must follow (None: free text)."""

    system: str
    messages: tuple[tuple[str, str], ...]
    """(role, text), role ``user`` or ``assistant``."""
    model: str
    max_tokens: int
    schema: JSON = None
    effort: str = ""
    purpose: str = "fix"
    """``fix``, ``judge``, ``critic``, ``repair`` or ``probe``: for the account and the journal."""
    timeout: float = 120.0
    temperature: float = -1.0
    """Negative: the model's own."""
    tries: int = 0
    """Times it is sent at most where the service is down; 0: as often as the provider does by itself."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back. ``stop`` is one of end, truncated, refused, context, other. ``cost`` is what it cost."""

    text: str
    stop: str
    cost: Cost
    model: str = ""
    request_id: str = ""
    usage: dict[str, int] = field(default_factory=dict)
