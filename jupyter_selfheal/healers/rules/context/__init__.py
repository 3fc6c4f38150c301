"""What rules are made of: the context that a rule sees, and the tools that it edits with.

A rule needs :class:`Rule` and :class:`RuleContext`; the other modules hold what some rules share (spelling, templates of the
changelogs' successors, the notebook's project, cells that do not parse).
"""

from __future__ import annotations

from jupyter_selfheal.healers.rules.context.objects import Keys, ObjectInfo, Parameter, Signature, Table
from jupyter_selfheal.healers.rules.context.rule import RAISED_OR_MISSED, Rule, Stage
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext

__all__ = ["RAISED_OR_MISSED", "Keys", "ObjectInfo", "Parameter", "Rule", "RuleContext", "Signature", "Stage", "Table"]
