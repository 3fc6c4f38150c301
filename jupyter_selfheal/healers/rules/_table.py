"""Every rule by name, so that none is imported before a failure asks for it.

Order is the order of proposal among equal priors: state before imports before names before the rest, because two thirds
of real NameErrors are state (docs/repair.md). Third parties add rules by the entry point group
``jupyter_selfheal.rules``.
"""

from __future__ import annotations

RULES: dict[str, str] = {
    "IMP101": "missing_import:MissingImport",
}
"""Code → ``module:Class``, the module relative to this package."""
