"""The pictures of rows: success, cost, attempts and tokens, reasons; and a page with time by phase, calibration and faults."""

from __future__ import annotations

import io
import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.configurations import Configuration
from jupyter_selfheal.surfaces.bench.dashboard_page import build_page
from jupyter_selfheal.surfaces.bench.rows import Row
from jupyter_selfheal.surfaces.bench.statistics import Share, estimate_share

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
"""Okabe and Ito's palette (2008), which is told apart by the colour-blind; hatches tell the bars apart in grey."""
HATCHES = ("", "//", "..", "xx", "--", "++", "oo", "**")
MARKERS = "osD^vPX*"
NAME_CHARS = 16
"""Of a name that one line has room for."""


def write_dashboard(found: Sequence[Configuration], folder: Path) -> list[Path]:
    """Write ``dashboard.png``, ``dashboard.pdf``, ``details.png`` and ``dashboard.html`` into a folder; returns their paths."""
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise UsageError("pictures need Matplotlib: pip install 'jupyter-selfheal[bench]'") from error
    folder.mkdir(parents=True, exist_ok=True)
    pages = [_draw_page(pyplot, found, PANELS), _draw_page(pyplot, found, DETAILS)]
    images = [_render_image(page) for page in pages]
    contents = {
        "dashboard.png": images[0], "dashboard.pdf": _render_pages(pages), "details.png": images[1],
        "dashboard.html": build_page(_describe_sets(found), _draw_panels(pyplot, found), found).encode(),
    }  # fmt: skip
    for page in pages:
        pyplot.close(page)
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in contents]


def _draw_page(pyplot: Any, found: Sequence[Configuration], panels: Sequence[tuple[str, Any]]) -> Any:
    rows = (len(panels) + 1) // 2
    page, axes = pyplot.subplots(rows, 2, figsize=(11, 4.2 * rows), layout="constrained")
    page.suptitle(_describe_sets(found))
    for axis, (title, draw) in zip(axes.flat, panels, strict=False):
        axis.set_title(title, fontsize=11)
        axis.spines[["top", "right"]].set_visible(False)
        draw(axis, found)
    for axis in axes.flat[len(panels) :]:  # what is free tells which colour is whose
        handles, names = axes.flat[len(panels) - 1].get_legend_handles_labels()
        axis.set_axis_off()
        axis.legend(handles, names, loc="upper left")
    return page


def _draw_panels(pyplot: Any, found: Sequence[Configuration]) -> list[tuple[str, str]]:
    """Each panel with its title, as an SVG of its own: on a narrow screen they stand below each other and stay readable."""
    drawn = []
    for title, draw in (*PANELS, *DETAILS):
        page, axis = pyplot.subplots(figsize=(5, 4), layout="constrained")
        axis.spines[["top", "right"]].set_visible(False)
        draw(axis, found)
        if axis.get_legend() is None and axis.get_legend_handles_labels()[1]:
            _add_legend(axis, 2)
        drawn.append((title, _render_svg(page)))
        pyplot.close(page)
    return drawn


def _describe_sets(found: Sequence[Configuration]) -> str:
    """Which sets the files are of, and what of their tests was seen."""
    sets = dict.fromkeys(re.sub(r"[ ,(].*", "", c.setup.set) if len(found) > 2 else c.setup.set for c in found)
    oracles = dict.fromkeys(c.setup.oracle for c in found)
    return f"{', '.join(sets)}; oracle {', '.join(oracles)}"


def _render_image(page: Any) -> bytes:
    out = io.BytesIO()
    page.savefig(out, format="png", dpi=140)
    return out.getvalue()


def _render_svg(page: Any) -> str:
    """The same text for the same rows."""
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "jupyter-selfheal"}):
        page.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _render_pages(pages: Sequence[Any]) -> bytes:
    """All pages as one PDF, which is the same bytes for the same rows."""
    from matplotlib.backends.backend_pdf import PdfPages

    out = io.BytesIO()
    with PdfPages(out, metadata={"CreationDate": None}) as file:
        for page in pages:
            file.savefig(page)
    return out.getvalue()


# --- panels ---------------------------------------------------------------------------------------------------------


def _draw_success(axis: Any, found: Sequence[Configuration]) -> None:
    """By configuration: healed by the first round of patches, and in the end."""
    for at, configuration in enumerate(found):
        for side, share in ((-0.2, configuration.first_success), (0.2, configuration.success)):
            _draw_bar(axis, at + side, share, at, 0.45 if side < 0 else 1.0)
    many = len(found) > 4  # names that fit beside each other
    axis.set_xticks(
        range(len(found)),
        [_wrap_name(c.name) for c in found],
        rotation=30 if many else 0,
        ha="right" if many else "center",
        fontsize=9,
    )
    axis.set_ylim(0, 1.1)  # room for the figure above a full bar
    axis.set_ylabel("left: first round or zero-shot, right: final")


def _wrap_name(name: str) -> str:
    """A name on as many lines as it needs: a model's name is as long as its maker likes."""
    return "\n".join(textwrap.wrap(name, NAME_CHARS)) or name


def _draw_bar(axis: Any, at: float, share: Share, number: int, alpha: float) -> None:
    error = [[share.value - share.low], [share.high - share.value]]
    axis.bar(
        at, share.value, 0.38, yerr=error, capsize=4, alpha=alpha, color=COLOURS[number % 8],
        hatch=HATCHES[number % 8], edgecolor="black",
    )  # fmt: skip
    axis.text(at, share.high + 0.02, f"{share.value:.0%}", ha="center", fontsize=8)


def _draw_cost(axis: Any, found: Sequence[Configuration]) -> None:
    """Cost and success, with the line of those that no other beats in both. Who has no price is not drawn as free."""
    if unpriced := [c.name for c in found if not c.has_price]:
        axis.text(0.02, 0.02, "no price, not drawn:\n" + "\n".join(unpriced), transform=axis.transAxes, fontsize=8)
    priced = {number: c for number, c in enumerate(found) if c.has_price}
    points = [(sum(r.dollars_spent for r in c.rows) / len(c.rows), c.success.value) for c in priced.values()]
    dearest = max((dollars for dollars, _ in points), default=0.0)
    for index, ((number, configuration), point) in enumerate(zip(priced.items(), points, strict=True)):
        axis.scatter(*point, s=70, marker=MARKERS[number % 8], color=COLOURS[number % 8], zorder=3)
        earlier = points[:index].count(point)  # of those at the same place each name has a line of its own
        left = point[0] > dearest / 2  # a name stands on the side where there is room
        axis.annotate(
            configuration.name,
            point,
            xytext=(-8 if left else 8, 5 - 12 * earlier),
            textcoords="offset points",
            fontsize=9,
            ha="right" if left else "left",
        )
    edge = dearest * 1.1 or 0.05
    if frontier := find_frontier(points):
        costs, shares = zip(*frontier, (edge, frontier[-1][1]), strict=True)  # who pays more gets no less
        axis.plot(
            costs, shares, drawstyle="steps-post", color="black", linewidth=1, linestyle="--", label="Pareto frontier"
        )
        axis.legend(fontsize=8, loc="lower right")
    axis.set_xlim(-edge / 10, edge)
    axis.locator_params(axis="x", nbins=5)
    axis.set_ylim(-0.05, 1.1)
    axis.set_xlabel("dollars a task")
    axis.set_ylabel("correct")


def find_frontier(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points (cost, success) than which none is cheaper and at least as good, by cost: the Pareto frontier."""
    frontier: list[tuple[float, float]] = []
    for cost, success in sorted(points, key=lambda p: (p[0], -p[1])):
        if not frontier or success > frontier[-1][1]:
            frontier.append((cost, success))
    return frontier


def _draw_attempts(axis: Any, found: Sequence[Configuration]) -> None:
    """Rounds of patches a task, and tokens by role in the labels."""
    most = max((r.attempts for c in found for r in c.rows), default=0)
    width = 0.8 / len(found)
    for number, configuration in enumerate(found):
        counts = Counter(r.attempts for r in configuration.rows)
        tokens = Counter[str]()
        for row in configuration.rows:
            tokens.update(row.tokens)
        spent = ", ".join(f"{role} {count:,}" for role, count in sorted(tokens.items()) if count) or "no tokens"
        axis.bar(
            [n + number * width for n in range(most + 1)], [counts[n] for n in range(most + 1)], width,
            color=COLOURS[number % 8], hatch=HATCHES[number % 8], edgecolor="black", label=f"{configuration.name}: {spent}",
        )  # fmt: skip
    axis.set_xticks([n + 0.4 - width / 2 for n in range(most + 1)], [str(n) for n in range(most + 1)])
    axis.set_xlabel("rounds of patches")
    axis.set_ylabel("heals")
    _add_legend(axis, 2)


def _draw_reasons(axis: Any, found: Sequence[Configuration]) -> None:
    _draw_shares(axis, found, lambda row: row.reason or "no failure")


def _draw_faults(axis: Any, found: Sequence[Configuration]) -> None:
    kinds = sorted({r.fault or "not told" for c in found for r in c.rows})
    width = 0.8 / len(found)
    for number, configuration in enumerate(found):
        label = configuration.name
        for at, kind in enumerate(kinds):
            rates = [float(r.correct) for r in configuration.rows if (r.fault or "not told") == kind]
            if rates:
                axis.barh(
                    at + number * width, sum(rates) / len(rates), width, color=COLOURS[number % 8],
                    hatch=HATCHES[number % 8], edgecolor="black", label=label,
                )  # fmt: skip
                label = "_"  # Matplotlib's word for none
    axis.set_yticks([n + 0.4 - width / 2 for n in range(len(kinds))], kinds, fontsize=8)
    axis.set_xlim(0, 1)
    axis.set_xlabel("correct")


def _draw_phases(axis: Any, found: Sequence[Configuration]) -> None:
    phases = ("reproduce", "diagnose", "propose", "try", "score")
    for at, configuration in enumerate(found):
        left = 0.0
        for number, phase in enumerate(phases):
            mean = sum(r.phases.get(phase, 0.0) for r in configuration.rows) / len(configuration.rows)
            axis.barh(
                at, mean, left=left, color=COLOURS[number], hatch=HATCHES[number], edgecolor="black",
                label=phase if not at else None,
            )  # fmt: skip
            left += mean
    _name_bars(axis, found)
    axis.set_xlabel("seconds a heal, on the clock")
    axis.legend(fontsize=8)


def _draw_calibration(axis: Any, found: Sequence[Configuration]) -> None:
    """By score of the first patch that was shown: how many were right, with intervals."""
    for number, configuration in enumerate(found):
        label = configuration.name
        for score, rates in rate_scores(configuration.rows).items():
            share = estimate_share(rates)
            error = [[share.value - share.low], [share.high - share.value]]
            axis.errorbar(
                score + number * 0.08,
                share.value,
                yerr=error,
                fmt=MARKERS[number % 8],
                color=COLOURS[number % 8],
                markeredgecolor="black",
                capsize=3,
                label=label,
            )
            label = "_"
    axis.set_xlim(0, 10.5)
    axis.set_ylim(0, 1.05)
    axis.set_xlabel("score of the first patch shown")
    axis.set_ylabel("right")


def rate_scores(rows: Sequence[Row]) -> dict[int, list[float]]:
    """By rounded score of the first patch that was shown, lowest first: for each task the share of its runs in which that patch was right."""
    by_score: dict[int, dict[str, list[bool]]] = {}
    for row in rows:
        if row.score:
            right = row.correct if row.plausible else row.place == 1
            by_score.setdefault(round(row.score), {}).setdefault(row.name, []).append(right)
    return {score: [sum(runs) / len(runs) for runs in tasks.values()] for score, tasks in sorted(by_score.items())}


def _draw_shares(axis: Any, found: Sequence[Configuration], key: Any) -> None:
    kinds = sorted({key(r) for c in found for r in c.rows})
    for at, configuration in enumerate(found):
        left = 0.0
        counts = Counter(map(key, configuration.rows))
        for number, kind in enumerate(kinds):
            share = counts[kind] / len(configuration.rows)
            axis.barh(
                at, share, left=left, color=COLOURS[number % 8], hatch=HATCHES[number % 8], edgecolor="black",
                label=kind if not at else None,
            )  # fmt: skip
            left += share
    _name_bars(axis, found)
    axis.set_xlabel("share of heals")
    _add_legend(axis, 3)


def _name_bars(axis: Any, found: Sequence[Configuration]) -> None:
    """Beside each bar its configuration, the first one on top as in every other panel's order."""
    axis.set_yticks(range(len(found)), [_wrap_name(c.name) for c in found], fontsize=9)
    axis.invert_yaxis()


def _add_legend(axis: Any, columns: int) -> None:
    """Below the panel; in one column where a name is long."""
    names = axis.get_legend_handles_labels()[1]
    long = max(map(len, names), default=0) > 2 * NAME_CHARS
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1 if long else columns)


PANELS = (
    ("Correct by configuration", _draw_success), ("Cost and success", _draw_cost),
    ("Attempts and tokens", _draw_attempts), ("Why heals ended", _draw_reasons),
)  # fmt: skip
DETAILS = (
    ("Time by phase", _draw_phases), ("Calibration", _draw_calibration), ("Correct by kind of fault", _draw_faults),
)  # fmt: skip
