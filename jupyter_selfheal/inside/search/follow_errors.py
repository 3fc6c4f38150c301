"""Errors of a reading that are mended one after the other before its output is looked at: what raises prints little, and says by that little nothing of
which change is right. What the error asks for does."""

from __future__ import annotations

import heapq
import re
from dataclasses import replace

from jupyter_selfheal.inside.search.explore_reading import Explorer, Node
from jupyter_selfheal.inside.search.run_result import OK, TIME
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.value_changes import list_value_changes

SURE = 0.7
"""How likely a change must be to be taken for what an error asks for."""
DEPTH, BEAM, SAME, FOUND = 5, 6, 3, 4
"""Errors that are mended on top of each other, sources gone on from after each, those of them that end alike (what a sum begins with tells only
the next error), and sources that run to their end after which no more are made."""


def follow_errors(explorer: Explorer, start: Node) -> list[Node]:
    """Sources that run to their end, made of one that raises an error by the likeliest changes, each of which leads to another error or none."""
    _, status, _ = explorer.run(start.source)
    front = [(_note_end(explorer, start), explorer.runner.said)] if status not in (OK, TIME) else []
    running: list[Node] = []
    met = {start.source}
    ends: dict[tuple[str, int], int] = {}
    for _ in range(DEPTH):
        following: list[tuple[Node, str]] = []
        for node, said in front:
            for change, child in _list_mends(explorer, node):
                if child.source in met or len(running) >= FOUND or explorer.is_over:
                    continue
                met.add(child.source)
                _, status, _ = explorer.run(child.source)
                if status == OK:
                    running.append(child)
                elif status == TIME or explorer.runner.said == said or _reads_unbound(change, explorer.runner.lost):
                    continue
                else:
                    end = explorer.runner.said, explorer.runner.raised_at
                    ends[end] = ends.get(end, 0) + 1
                    if ends[end] <= SAME:
                        following.append((_note_end(explorer, child), explorer.runner.said))
        front = heapq.nsmallest(BEAM, following, key=lambda pair: pair[0].cost)
    return running


def _note_end(explorer: Explorer, node: Node) -> Node:
    return replace(node, failed=True, lost=explorer.runner.lost)


def _list_mends(explorer: Explorer, node: Node) -> list[tuple[Change, Node]]:
    changes = list_value_changes(node.source, explorer.expected, explorer.known, node.lost)
    sure = [c for c in changes if c.prior >= SURE]
    return [(change, explorer.change_node(node, change)) for change in explorer.list_run_changes(node.source, sure)]


def _reads_unbound(change: Change, lost: tuple[str, int] | None) -> bool:
    """Whether a change itself wrote the name that is not found then: ``total = price * 3`` is not meant as ``total = total * 3``."""
    return lost is not None and any(re.search(rf"\b{lost[0]}\b", new) for _, _, new in change.edits)
