"""The site's style on a phone: tables may scroll, and no word of them is broken letter by letter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

PAGE = """<style>{style}</style><body><article><p>A page.</p><table><tr><th><p>outcome</p></th><th><p>failure</p></th></tr>
<tr><td><p>healed</p></td><td><p>{long}</p></td></tr><tr><td><p>left alone</p></td><td><p>{long} <code>{path}</code></p></td></tr></table></article>"""
BROKEN = """() => [...document.querySelectorAll('th p, td:first-child p')].flatMap(p => {
  const text = p.firstChild, heights = word => {
    const range = document.createRange()
    range.setStart(text, word.index)
    range.setEnd(text, word.index + word[0].length)
    return new Set([...range.getClientRects()].map(box => box.top)).size
  }
  return [...text.data.matchAll(/\\S+/g)].filter(word => heights(word) > 1).map(word => word[0])
})"""


def test_no_word_of_a_table_is_broken_on_a_phone(context: Any) -> None:
    style = (ROOT / "docs/_static/site.css").read_text("utf-8")
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.set_content(PAGE.format(style=style, long="could not convert string to float " * 6, path="a/long/path" * 9))
    assert page.evaluate(BROKEN) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, "the table scrolls, not the page"
    page.close()
