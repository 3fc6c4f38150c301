"""Every link of a page to another page, to a file of the repository, or to a heading leads somewhere; no network is asked."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.shown_commands import ROOT

PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "adr").glob("*.md")),
]
MADE = ("gallery/", "reference/")
"""Folders below ``docs`` that are written when the site is built: Sphinx tells of a link into them that leads nowhere."""


@cache
def list_anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    slugs = [
        re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading.strip().lower())).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    ]
    return frozenset(slug if not n else f"{slug}-{n}" for slug in slugs for n in range(slugs.count(slug)))


def list_links(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))
    return [link for link in links if "://" not in link and not link.startswith(("mailto:", *MADE))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in list_links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in list_anchors(target), link
