"""One event of a heal in words: from its wire form, so that it needs none of the classes.

Also used for the progress lines of a live heal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jupyter_selfheal.journal.describe_calls import format_calls
from jupyter_selfheal.journal.redact import redact
from jupyter_selfheal.model import MADE_UP_PLACE, Reason, diff_sources
from jupyter_selfheal.numbers import read_count, read_number

Body = Mapping[str, Any]


ENDINGS: Final[Mapping[str, str]] = {
    Reason.REJECTED: "not applied",
    Reason.EXHAUSTED: "without a fix",
    Reason.OVER_BUDGET: "out of budget",
    Reason.STUCK: "going in circles",
    Reason.NO_IMPROVEMENT: "getting no better",
    Reason.TRUNCATED: "reply cut off",
    Reason.REFUSED: "model refused",
    Reason.INFRASTRUCTURE: "could not go on",
    Reason.NOT_REPRODUCED: "failed only once",
    Reason.ENVIRONMENT: "left alone",
    Reason.CANCELLED: "stopped",
    Reason.SELF_ERROR: "internal error",
}
"""How a run ended, for whom our own words for it say nothing."""


def describe_ending(reason: str) -> str:
    """A run's :class:`~jupyter_selfheal.model.Reason` in plain words; what is none (``unfinished``) as it is."""
    return ENDINGS.get(reason, reason)


def _match_names(*names: str) -> Callable[[Body], bool]:
    return lambda body: body.get("$") in names


_ASKING = ("Answered", "CapabilitiesChecked", "Scored", "CellJudged")
"""Events that keep a record of requests."""


def find_request_record(body: Body) -> Any:
    """What an event keeps of requests to a model: a healer's, a critic's or a judge's; None where there were none.

    A healer that asks no model keeps a record as well: it has no ``calls``.
    """
    holder = (body.get("answer") or {}) if body.get("$") == "Answered" else body
    record = holder.get("record") if body.get("$") in _ASKING else None
    return None if isinstance(record, dict) and "calls" not in record else record


def format_request_record(record: Any) -> str:
    """A record of requests as a person reads it: every word that was sent, and the reply, with real line breaks."""
    calls = record.get("calls") if isinstance(record, dict) else None
    if not isinstance(calls, list):
        return record if isinstance(record, str) else json.dumps(record, indent=1, ensure_ascii=False)
    return "\n\n".join(_format_call(call) for call in calls)


def _format_call(call: Body) -> str:
    usage = call.get("usage") or {}
    price = "price unknown" if call.get("price_unknown") else _format_dollars(call)
    effort = f", effort {call['effort']}" if call.get("effort") else ""
    schema = call.get("schema")
    parts = [
        f"=== {call.get('prompt')} → {call.get('model')} ({call.get('provider')}), at most {call.get('max_tokens')} tokens{effort} ===",
        f"--- system ---\n{call.get('system', '')}",
        *(f"--- {message['role']} ---\n{message['text']}" for message in call.get("messages", ())),
        *([f"--- the reply must follow ---\n{json.dumps(schema, ensure_ascii=False)}"] if schema is not None else []),
    ]
    if call.get("stop") != "not sent":
        tokens = f"{usage.get('input', 0)} tokens in, {usage.get('output', 0)} out"
        parts.append(
            f"--- reply: {call.get('stop')}, {tokens}, {price} ---\n" + _unfold_reply(str(call.get("reply", "")))
        )
    return "\n".join(parts)


def _unfold_reply(reply: str) -> str:
    """A JSON reply as indented lines, its texts with real line breaks; any other text as it came."""
    try:
        value = json.loads(reply)
    except ValueError:
        return reply
    return "\n".join(_list_lines(value)) if isinstance(value, dict | list) else reply


def _list_lines(value: Any, indent: str = "") -> Iterator[str]:
    pairs = value.items() if isinstance(value, dict) else ((f"{n}.", item) for n, item in enumerate(value, 1))
    for name, item in pairs:
        label = f"{indent}{name}" if str(name).endswith(".") else f"{indent}{name}:"
        if isinstance(item, dict | list):
            yield label
            yield from _list_lines(item, indent + "  ")
        elif isinstance(item, str) and "\n" in item:
            yield label
            yield from (f"{indent}  {line}" for line in item.splitlines())
        else:
            yield f"{label} {item}"


KINDS: Final[Mapping[str, Callable[[Body], bool]]] = {
    "failure": _match_names("Started"),
    "baseline": _match_names("BaselineRan"),
    "diagnosis": _match_names("DiagnosisMade"),
    "answer": _match_names("Answered", "HealerFailed"),
    "request": lambda body: find_request_record(body) is not None,
    "consent": _match_names("CapabilitiesChecked"),
    "trial": _match_names("TrialEnded"),
    "verdict": _match_names("Scored", "Repeated", "CellJudged"),
    "derived": _match_names("Derived"),
    "money": _match_names("Priced", "Reserved", "Settled"),
    "proposal": _match_names("ProposalMade"),
    "decision": _match_names("Decided"),
    "pause": _match_names("PausedForUserAction"),
    "end": _match_names("Ended", "CancelRequested", "Broke"),
}
"""What ``trace --kind`` may name."""


def describe_event(body: Body) -> str:
    """The event in one line (a few, where patches are listed)."""
    writer = _WRITERS.get(str(body.get("$")))
    return writer(body) if writer else str(body.get("$"))


def format_details(body: Body) -> str:
    """Everything in the event that a person may want to see: diffs, outputs, the request as it was sent."""
    name = body.get("$")
    if name == "Answered":
        record = find_request_record(body)
        diffs = [_format_patch(p) for p in (body.get("answer") or {}).get("patches", ())]
        return "\n".join([*diffs, *([format_request_record(record)] if record is not None else [])])
    if name in ("TrialEnded", "BaselineRan"):
        return _format_trial_details(body.get("trial") or {})
    if name == "Scored":
        lines = [
            f"{v['patch_id']}  {line}"
            for v in body.get("verdicts", ())
            for line in (*v.get("reasons", ()), *([v["feedback"]] if v.get("feedback") else ()))
        ]
        return "\n".join(
            [
                *lines,
                *([format_request_record(find_request_record(body))] if find_request_record(body) is not None else []),
            ]
        )
    if name in ("CapabilitiesChecked", "CellJudged"):
        return format_request_record(find_request_record(body)) if find_request_record(body) is not None else ""
    if name == "ProposalMade":
        candidates = (body.get("proposal") or {}).get("candidates", ())
        return "\n".join(_format_patch(c["patch"]) for c in candidates[:1])
    if name == "Started":
        failure = (body.get("case") or {}).get("failure") or {}
        return str(failure.get("source", "")) + "\n\n" + str(failure.get("traceback", ""))
    return json.dumps({k: v for k, v in body.items() if k != "$"}, indent=1, ensure_ascii=False)


def format_headline(failure: Body) -> str:
    """The type and the first line of the message of a failure or an error."""
    evalue = MADE_UP_PLACE.sub("", str(failure.get("evalue", "")))
    message = redact(evalue).strip().splitlines()  # before it is cut: half a secret is not found
    return f"{failure.get('ename', '')}: {message[0]}"[:200] if message else str(failure.get("ename", ""))


def _format_cost(cost: Body | None) -> str:
    cost = cost or {}
    if cost.get("unknown"):
        tokens = sum(read_count(cost.get(name)) or 0 for name in ("input_tokens", "output_tokens"))
        return f"{tokens} tokens at an unknown price"
    return _format_dollars(cost)


def _format_dollars(cost: Body) -> str:
    return f"${read_number(cost.get('usd')) or 0.0:.4f}"


def _read_seconds(body: Body) -> float:
    return read_number(body.get("seconds")) or 0.0


def _describe_start(body: Body) -> str:
    failure = (body.get("case") or {}).get("failure") or {}
    where = f"line {failure['line']} of " if failure.get("line") else ""
    text = f"failed     {where}cell {failure.get('cell_id', '?')}: {format_headline(failure)}"
    if body.get("unproven"):
        text += f"\nnothing can be proven: {body['unproven']}"
    return text


def _describe_baseline(body: Body) -> str:
    how = f"ran through, but {body['missed']}" if body.get("missed") else _describe_trial(body.get("trial") or {})
    return f"baseline   the cell as it is, from {(body.get('trial') or {}).get('start', '?')}: {how}"


def _describe_trial(trial: Body) -> str:
    """How a trial went, in a few words."""
    for step in trial.get("steps", ()):
        for error in step.get("errors", ()):
            at = f" (line {error['line']})" if error.get("line") else ""
            where = "" if step.get("role", "cell") == "cell" else f" in its {step['role']} step"
            return format_headline(error) + at + where
    if trial.get("ending", "finished") != "finished":
        return " ".join(filter(None, (str(trial["ending"]), str(trial.get("detail", "")))))
    return "ran"


def _describe_diagnosis(body: Body) -> str:
    diagnosis = body.get("diagnosis") or {}
    text = f"diagnosis  {diagnosis.get('cause') or 'no cause is evident'}"
    if diagnosis.get("confidence", 100) < 100:
        fault = "the environment" if diagnosis.get("locus") == "environment" else "the code"
        text += f" (it is {fault}, with a confidence of {diagnosis['confidence']} %)"
    if diagnosis.get("skip_reason"):
        text += f"; left alone: {diagnosis['skip_reason']}"
    return text + (f"\n{diagnosis['advice']}" if diagnosis.get("advice") else "")


def _describe_answer(body: Body) -> str:
    answer = body.get("answer") or {}
    patches = answer.get("patches", ())
    text = f"asked      {body.get('healer')}: " + (
        ("1 idea" if len(patches) == 1 else f"{len(patches)} ideas") if patches else "nothing"
    )
    if answer.get("cost"):
        text += f" for {_format_cost(answer['cost'])}"
    if answer.get("note"):
        text += f" ({answer['note']})"
    words = ("display-only", "unsafe", "safe")
    lines = [
        f"  {p['title']} [{p.get('rule') or p.get('healer', 'rules')}, {words[p.get('applicability', 1)]}]"
        for p in patches
    ]
    return "\n".join([text, *lines])


def _describe_consent(body: Body) -> str:
    capabilities = body.get("capabilities") or {}
    waits = "; ".join(f"{patch} adds {', '.join(names)}" for patch, names in capabilities.items())
    text = (
        f"consent    {waits}: not tried before you allow it"
        if capabilities
        else "consent    not needed: no capability is added"
    )
    if body.get("cost"):
        text += f" (a critic was asked for {_format_cost(body['cost'])})"
    risks = [f"  {patch} could go wrong: {line}" for patch, line in (body.get("risks") or {}).items()]
    return "\n".join([text, *risks, *([str(body["note"])] if body.get("note") else [])])


def _describe_trial_end(body: Body) -> str:
    trial = body.get("trial") or {}
    return f"tried      {body.get('patch_id')}  {_describe_trial(trial)} [{_read_seconds(trial):.2f} s]"


def _describe_scores(body: Body) -> str:
    lines = []
    for verdict in body.get("verdicts", ()):
        why = "; ".join(verdict.get("reasons", ())) or verdict.get("feedback", "")
        lines.append(f"scored     {verdict['patch_id']}  {verdict.get('score', 0):g}/10  {why}".rstrip())
    if body.get("note"):
        lines.append(str(body["note"]))
    return "\n".join(lines) or "scored     nothing"


def _describe_repeats(body: Body) -> str:
    repeats = body.get("repeats") or {}
    counts = [int(repeats.get(name, 0)) for name in ("failures", "runs", "patched_failures", "patched_runs")]
    text = "repeated   {}  fails in {} of {} runs; with the fix in {} of {}".format(body.get("patch_id"), *counts)
    return text + (f"; {repeats['doubt']}" if repeats.get("doubt") else "")


def _describe_proposal(body: Body) -> str:
    proposal = body.get("proposal") or {}
    candidates = proposal.get("candidates", ())
    if not candidates:
        return "proposed   nothing"
    best = candidates[0]
    proven = " and ".join(proposal.get("proven_from", ()))
    text = f"proposed   {best['patch']['title']}: " + (f"proven from {proven}" if proven else "NOT proven")
    text += f", {best['verdict'].get('score', 0):g}/10, {len(candidates)} candidate(s)"
    return "\n".join([text, *(f"  {note}" for note in proposal.get("notes", ()))])


def _describe_decision(body: Body) -> str:
    decision = body.get("decision") or {}
    text = f"decided    {decision.get('choice')} by {decision.get('by', 'user')}"
    return text + (f": {decision['text']}" if decision.get("text") else "")


def _describe_switch(body: Body) -> str:
    return f"switched   {body.get('what')}: {body.get('to')}, by the user"


_WRITERS: Final[Mapping[str, Callable[[Body], str]]] = {
    "Started": _describe_start,
    "BaselineRan": _describe_baseline,
    "CellJudged": lambda b: (
        f"judged     the cell {' '.join(f'{s:g}/10' for s in b.get('scores', ())) or '–'}: {b.get('reason')}"
    ),
    "DiagnosisMade": _describe_diagnosis,
    "Priced": lambda b: f"priced     a call of {b.get('who')} may cost {_format_cost(b.get('worst'))}",
    "Reserved": lambda b: f"reserved   {_format_cost(b.get('worst'))} for {b.get('who')}",
    "Settled": lambda b: f"settled    {b.get('id')} at {_format_cost(b.get('cost'))}",
    "Answered": _describe_answer,
    "HealerFailed": lambda b: f"failed     {b.get('healer')}: {b.get('message')} [{b.get('reason')}]",
    "CapabilitiesChecked": _describe_consent,
    "TrialEnded": _describe_trial_end,
    "Scored": _describe_scores,
    "Derived": lambda b: f"further    {b.get('patch_id')} got past it; what comes behind is healed next, on top of it",
    "Repeated": _describe_repeats,
    "ProposalMade": _describe_proposal,
    "PausedForUserAction": lambda b: f"paused     {b.get('why')}; continue, hint, raise the budget, or stop",
    "Decided": _describe_decision,
    "CancelRequested": lambda b: "cancelled  by the user",
    "Broke": lambda b: f"broke      {b.get('message')} [{b.get('reason')}]",
    "Switched": _describe_switch,
    "Ended": lambda b: (
        f"ended      {describe_ending(str(b.get('reason')))}" + (f": {b['detail']}" if b.get("detail") else "")
    ),
}


def _format_patch(patch: Body) -> str:
    """The edits of a patch as unified diffs."""
    lines = [f"{patch.get('title')} ({patch.get('why') or patch.get('cause') or 'no reason given'})"]
    lines += [f"could go wrong: {patch['risk']}"] if patch.get("risk") else []
    for edit in patch.get("edits", ()):
        if edit["$"] == "Replace":
            lines += [f"@@ cell {edit['cell_id']} @@", *map(str, diff_sources(str(edit["old"]), str(edit["source"])))]
        else:
            lines.append(" ".join(f"{k}={v}" if k != "$" else str(v) for k, v in edit.items()))
    return "\n".join(lines)


def _format_trial_details(trial: Body) -> str:
    lines = []
    for step in trial.get("steps", ()):
        name = " ".join(filter(None, (step.get("role", "cell"), step.get("cell_id", ""), step.get("name", ""))))
        lines.append(f"{name}: {step['status']} in {_read_seconds(step):.3f} s")
        for output in step.get("outputs", ()):
            text = output.get("text") or (output.get("data") or {}).get("text/plain", "")
            lines += [f"  {line}" for line in str(text).splitlines()[:40]]
        lines += [f"  {line}" for line in format_calls(step)]
        for error in step.get("errors", ()):
            lines += [f"  {line}" for line in str(error.get("traceback") or format_headline(error)).splitlines()]
    return "\n".join(lines)
