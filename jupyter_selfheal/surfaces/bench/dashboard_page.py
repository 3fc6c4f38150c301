"""The dashboard as one self-contained page: every panel as a picture in it, and the rows with a filter and an order."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Sequence

from jupyter_selfheal.surfaces.bench.configurations import Configuration

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>body{{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;max-width:76rem;padding:0 1rem;color:#111;background:#fff}}
h1{{font-size:1.4rem;overflow-wrap:anywhere}}h2{{font-size:1.1rem;margin:1rem 0 .3rem}}
main{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:0 1.5rem}}img{{width:100%;height:auto}}
table{{border-collapse:collapse;font-size:.85rem}}td,th{{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:left}}
th button{{font:inherit;font-weight:bold;border:0;background:none;padding:.4rem 0;cursor:pointer;color:inherit;white-space:nowrap}}
th[aria-sort=ascending] button::after{{content:" \\25B2"}}th[aria-sort=descending] button::after{{content:" \\25BC"}}
.scroll{{overflow-x:auto}}input{{font:inherit;max-width:100%}}</style><h1>{title}</h1><main>{panels}</main>
<h2>Rows</h2><p><label>Show rows with <input id="word"></label> <span id="count" role="status"></span></p>
<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table><thead><tr>{heads}</tr></thead><tbody id="rows"></tbody></table></div>
<script>const rows={rows};const body=document.getElementById('rows'),field=document.getElementById('word'),heads=[...document.querySelectorAll('th')];
function show(){{const word=field.value.toLowerCase();body.replaceChildren();let n=0;
for(const row of rows){{if(!row.join(' ').toLowerCase().includes(word))continue;n++;
const line=body.insertRow();for(const value of row)line.insertCell().textContent=value;}}
document.getElementById('count').textContent=n+' of '+rows.length;}}
heads.forEach((head,at)=>head.firstChild.addEventListener('click',()=>{{const down=head.getAttribute('aria-sort')==='ascending';
rows.sort((a,b)=>(a[at]<b[at]?-1:a[at]>b[at]?1:0)*(down?-1:1));heads.forEach(h=>h.removeAttribute('aria-sort'));
head.setAttribute('aria-sort',down?'descending':'ascending');show();}}));
field.addEventListener('input',show);show();</script></html>
"""
COLUMNS = ("configuration", "task", "run", "outcome", "score", "reason", "fix or why", "seconds")


def build_page(title: str, panels: Sequence[tuple[str, str]], found: Sequence[Configuration]) -> str:
    """The page of panels, each a title and its SVG, and of the rows of all configurations."""
    rows = [
        [
            c.name, r.name, r.run, "correct" if r.correct else "applied, wrong" if r.plausible else "not healed", r.score, r.reason,
            r.fix or r.why, r.seconds,
        ]
        for c in found
        for r in c.rows
    ]  # fmt: skip
    pictures = "".join(
        f'<section><h2>{html.escape(name)}</h2><img alt="{html.escape(name)}, by configuration" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"></section>'
        for name, svg in panels
    )
    heads = "".join(f'<th scope="col"><button type="button">{name}</button></th>' for name in COLUMNS)
    return PAGE.format(
        title=html.escape(title), panels=pictures, heads=heads, rows=json.dumps(rows).replace("</", "<\\/")
    )
