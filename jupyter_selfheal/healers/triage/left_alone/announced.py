"""Failures that a comment, or the text above the cell, announces."""

from __future__ import annotations

import builtins
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.triage.left_alone._checks import TAG_IT, TROUBLED, Remedies, find_cell, leave_alone
from jupyter_selfheal.model import Diagnosis, Failure, FailureKind, Locus, SkipReason

_WHAT = r"(?:an? |the )?(?:\w+ )?\w*(?:error|exception|Error|Exception)\b(?! (?:bars?|estimates?|functions?|measures?|metrics?|of \d|rates?|terms?)\b)"
ANNOUNCED = re.compile(
    r"\b(?:fail\w*|errors?|wrong|broken|raises?)\b.*\b(?:on purpose|intentional\w*|deliberate\w*)|"
    r"\b(?:on purpose|intentional\w*|deliberate\w*)\b.*\b(?:fail\w*|errors?|wrong|raises?)\b|"
    r"\b[a-z]{2,}ing\b[^.]{0,200}(?<!\bthere )\bis an? (?:\w+ )?(?:error|exception)(?=[\s.,:;!)]*$|[.,:;!)]| (?:in|here|because|as|since|and)\b)|"
    r"\b(?:will|should|must) (?:fail|not work|(?:raise|throw)(?=\W*$| (?:an? |the )?(?:\w+ )?\w*(?:error|exception))|crash)\b|\bexpected to fail\b|\bfails because\b|"
    rf"\b(?:gives?|raises?|throws?|causes?|produces?|results? in|leads? to|generates?|get) {_WHAT}|"
    r"\b(?:run|try|execute) (?:this|it|(?:this|the) (?:cell|code|line)) to (?:see|get) (?:the|an?|what|which) (?:\w+ )?(?:error|exception)\b|"
    r"\b(?:cell|code|line|statement|one)s? (?:here |below )?(?:stops?|ends?|breaks?|crash(?:es)?) with an? (?:\w+ )?(?:error|exception)\b|"
    r"\bwhich (?:of|line|statement|one)\b.{0,60}\b(?:fails?|raises? an? (?:error|exception)|(?:does not|doesn't|won't) work)\b.*\?|"
    r"\b(?:can ?not|can't|not (?:allowed|possible)|impossible)\b.{0,80}\b(?:see (?:it )?for yourself|try it(?: out)?(?=\s*(?:[.:!]|$))|run it and (?:see|read))\b|"
    r"\bführ(?:t|en) zu eine[mr] \w*(?:fehler|ausnahme)|\b(?:gibt|ergibt|erzeugt|liefert|verursacht|wirft) (?:\w+ )?eine?n? \w*(?:fehler|ausnahme)\b|"
    r"\bne (?:fonctionne|marche) pas\b(?!.*\?)|\b(?:produit|provoque|donne|génère|lève|da|dà|gera|genera|lanza|causa) un[ea]? (?:erreur|errore|erro|exception|excepción|eccezione|exceção)\b|"
    r"\bthis (?:call |cell |line |one |statement )?fails\b|\bthis (?:does not work|doesn't work|won't work|is not (?:allowed|possible))\b",
    re.IGNORECASE,
)
_CANNOT = r"\b(?:can ?not|can't|could not|couldn't) (?:be )?(?:directly )?"
_CHANGES = r"(?:add|append|clear|discard|extend|insert|pop|remove|reverse|sort|update)"
_IMPOSSIBLE = tuple(
    (re.compile(words, re.IGNORECASE), re.compile(message))
    for words, message in (
        (rf"\b(?:is|are) (?:immutable|not mutable)\b|{_CANNOT}(?:assign|chang|modif|reassign)",
         (r"support item (?:assignment|deletion)|can't (?:set|delete)|cannot assign|read-only|has no setter|"
         rf"'(?:tuple|str|bytes|frozenset|range)' object has no attribute '{_CHANGES}'")),
        (r"\bfrozen\b|\bnot allowed\b|\bforbidden\b", r"cannot assign to field|support item assignment|has no setter|can't set|read-only"),
        (rf"{_CANNOT}(?:add|append|concatenat|extend|grow|join|mix|shrink)", rf"can only (?:concatenate|join)|for \+|expected str|has no attribute '{_CHANGES}'"),
        (r"\b(?:add|append|concatenat|join|mix|combin)\w*\b.{0,60}\b(?:is|are) (?:not|n't) (?:allowed|defined|permitted|possible|supported)\b",
         r"can only (?:concatenate|join)|for \+"),
        (r"\b(?:do|does)(?: not|n't) (?:add\b(?! up)|concatenate\b|mix\b|go together)", r"can only (?:concatenate|join)|for \+"),
        (rf"{_CANNOT}(?:mix|subtract)", r"for -"),
        (rf"{_CANNOT}(?:mix|multipl)", r"for \*|can't multiply"),
        (rf"{_CANNOT}divid(?!\w* (?:\w+ )?by (?:zero|0))", r"for //?:"),
        (rf"{_CANNOT}divid\w* (?:\w+ ){{0,2}}by (?:zero|0)\W*$", r"^(?:\w+ )*(?:division|modulo)\b.*\bby zero|division or modulo"),
        (rf"{_CANNOT}call|\b(?:is|are) not callable\b", r"not callable"),
        (rf"{_CANNOT}hash|\b(?:can ?not|can't) be (?:used as )?(?:an? )?(?:dict\w* |set )?(?:keys?|elements?|members?)\b|\b(?:is|are) (?:not |un)hashable\b", r"unhashable"),
        (rf"{_CANNOT}iterat|\b(?:is|are) not iterable\b", r"not iterable|not an iterator"),
        (rf"{_CANNOT}index|\bindexing (?:does not|doesn't|won't) work|\b(?:is|are) not (?:subscriptable|indexable)\b", r"not subscriptable|support indexing|indices must be"),
        (r"\b(?:does not|doesn't|do not|don't) support\b", r"n't support|not support|unsupported"),
        (rf"\b(?:has|have) no inverse\b|\b(?:is|are) (?:singular|not invertible)\b|{_CANNOT}invert", r"[Ss]ingular matrix|is singular"),
        (r"\bnot positive(?:[ -]|ly )definite\b", r"not positive definite"),
        (rf"{_CANNOT}broadcast|\bshapes? (?:do not|don't|does not|doesn't) (?:match|fit)|\b(?:are|is) (?:not compatible|incompatible)\b",
         r"broadcast|not aligned|mismatch in its core"),
    )
)  # fmt: skip
"""By which words a text says of a language that it does not go, each with the messages that it explains."""
_NAMED = (
    (re.compile(r"\bcase[- ]sensitiv\w*|\b(?:is|are) (?:two )?(?:different|not the same)\b", re.IGNORECASE), re.compile(r"name '(\w+)' is not defined")),
    (re.compile(r"\b(?:has|have) no (?:`?\w+`? )?(?:method|attribute)|\b(?:does not|doesn't|do not|don't) have (?:an? )?(?:`?\w+`? )?(?:method|attribute)", re.IGNORECASE),
     re.compile(r"has no attribute '(\w+)'")),
    (re.compile(rf"{_CANNOT}(?:access|read|reach|see|use)|\bnot (?:accessible|available|defined|known|visible) (?:here|outside)\b", re.IGNORECASE),
     re.compile(r"name '(\w+)' is not defined")),
)  # fmt: skip
"""Words that explain a message only where the text has the very name that the message has."""
_EXPLAINED = (
    "TypeError",
    "AttributeError",
    "NameError",
    "ZeroDivisionError",
    "LinAlgError",
    "ValueError",
    "FrozenInstanceError",
)
_NEGATION = re.compile(r"\b(?:cannot|immutable|never|not|unsupported)\b|n't\b", re.IGNORECASE)
_UNDONE = re.compile(r"\b(?:need\w*|must|todo|fixme|look\w*|yet|last time)\b", re.IGNORECASE)
"""Words by which a text speaks of an error that its author has still to mend."""
_ERROR_NAME = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b")
ASKED = re.compile(
    r"\bwhat (?:happens|will happen|would happen) (?:if|when)\b.{0,200}\?|\bwhat (?:does|will|would) \w+ say\b.{0,200}\?|\bwhat if\b.{0,200}\?|"
    r"\b(?:see|watch|observe|find out|look at|shows?|showing|demonstrat(?:es?|ing)|illustrat(?:es?|ing)) what (?:happens|will happen|would happen) (?:if|when)\b",
    re.IGNORECASE,
)
"""A question that a cell answers by failing, unless a rule knows what it was to do."""
POSED = re.compile(
    r"^\W*(?:exercise|question|quiz|puzzle|task)\b.{0,30}\bwhy (?:does|do|is|are)\b.{0,60}\b(?:fail|error|wrong|(?:not|n't) work)\b.*\?|"
    r"^\W*why (?:does|do|is|are)\b.{0,60}\b(?:fail|wrong|(?:not|n't) work)\b.*\?\W*(?:please )?(?:fix|correct|debug|repair)\b",
    re.IGNORECASE,
)
"""A question that is put to students: "Exercise: why does this fail?", "Why does it fail? Fix it"."""
_FAULT = r"(?:bugs?|mistakes?|(?:syntax|type|name|index|key|value|logic\w*) errors?|errors? (?:in|and) (?:the |this )?(?:code|cell|fix|correct|following|function|program|line))"
SOUGHT = re.compile(
    rf"\bcan you (?:spot|find|see|tell|identify|fix|correct|guess)\b.{{0,40}}(?:\bit\b|\b{_FAULT}\b|wrong|\bwhy\b).*\?|"
    rf"\b(?:find|spot|identify|locate) (?:and \w+ )?(?:all |the |an? |its |\d ){{0,2}}(?:\w+ )?{_FAULT}\b|"
    r"\bdebugging (?:practice|exercises?|challenges?)\b|"
    rf"\b(?:exercise|task|quiz|challenge)\b.{{0,60}}\b(?:fix|correct|debug|repair)\b.{{0,40}}\b(?:{_FAULT}|code|cell|function|program|below)\b",
    re.IGNORECASE,
)
"""An exercise whose point is the fault: "Find and fix the bug", "Can you spot it?"."""
_OWN = re.compile(r"\b(?:i|i'm|me|my|can ?not|can't|could(?:n't| not)|need\w*|must|still|to)\b", re.IGNORECASE)
_ABSENT = re.compile(
    r"\b(?:not|never|n't|no longer)\b|n't\b|\b(?:missing|invalid|wrong|unknown|misspel\w*|out of (?:range|bounds)|beyond|nonexist\w*|non-exist\w*)\b",
    re.IGNORECASE,
)
"""What a question says of what is not there: that it fails is the answer, whatever is near."""
OTHERWISE = re.compile(
    r"\b(?:if|unless|otherwise|instead|avoids?|without|fix\w*|when|may|might|not fail|older|so we)\b", re.IGNORECASE
)
"""Words by which a text speaks of another case than the code below it."""
SHOWN = re.compile(
    r"\b(?:what|which) (?:(?:kind|sort|type) of )?(?:error message|exception(?: message)?|(?P<plain>error))"
    r"(?:(?: (?:do|does|will|would))?(?: (?:we|you|it|this|python))? (?:get|see|give|raise|throw)s?| is (?:raised|thrown))\b"
    r"(?(plain)(?=[^.]*\b(?:if|when|by)\b))(?!.*\b(?:fix\w*|instead|mend\w*|solve\w*)\b)",
    re.IGNORECASE,
)
"""A text that asks for the very error which the cell shows: "what error do we get if we add a number and a text?". A plain "error" with
no case that it comes of may be a number: "what error do we get with 10 neighbours?"."""
_SIGN = (
    r"(?:colons?|(?:square |curly |round |closing )?brackets?|parenthes[ie]s|quot\w+(?: marks?)?|commas?|indentation)"
)
SIGN_LEFT_OUT = re.compile(
    rf"\b(?:note|notice|observe|mind|see)\b.{{0,30}}\b(?:missing|forgotten|lacking|unmatched|unclosed)\b (?:\w+ ){{0,2}}{_SIGN}\b|"
    rf"\b{_SIGN} (?:is|are) (?:missing|left out|forgotten) (?:here|above|on purpose)\b(?!.*\?)",
    re.IGNORECASE,
)
"""A comment in a cell that does not parse, also below the line, and says which sign it lacks: "Note the missing colon above"."""
_OF_THE_CELL = re.compile(
    r"\b(?:next|following) (?:cell|code|example|line|statement)s?\b|\b(?:cell|code|lines?|statements?)(?: \w+)? below\b",
    re.IGNORECASE,
)
"""What a sentence above a cell calls it, that is not the last one."""
_POINTER = re.compile(
    r"(?:(?:let's|let us|you can|please|now|just|so|and) )*(?:check|convince yourself|have a look|look|run|see|test|try|watch)(?: (?:at|it|out|that|this|for|yourself|here|below|now))*[.:!]?|"
    r"(?:(?:here is|here's|as|for) )?(?:an |one )?example[.:!]?|e\.g\.[:,]?|like (?:this|so|that|here)[.:!]?|(?:as )?(?:shown |seen )?(?:here|below)[.:!]?",
    re.IGNORECASE,
)
"""A last sentence above a cell that only hands on to it: the one before it says what comes."""
_FEW = 2
"""Lines of code between the comment that a cell begins with and the failing one, its last, of which it still speaks."""
_MISSPELT = ("NameError", "ImportError", "ModuleNotFoundError")
"""What a slip of the pen raises where a text asked for an error of another kind, or for a number."""
REFUSED = re.compile(r"^[^.?]{0,150}\b(?:refuses|complains|rejects)\b[^.?]{0,60}:\W*$", re.IGNORECASE)
"""A sentence that ends with a colon and says who does not take what stands below: "If the keys differ, `merge` refuses:"."""
REMEDY = re.compile(
    r"\b(?:avoid|catch|clean|convert|drop|filter|handle|prevent|remove|replace|skip)(?:s|ed|ing)?\b", re.IGNORECASE
)
"""What a text says behind the failure where the code below it is what keeps it from happening."""


def diagnose_announced(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """``# tuples cannot be changed: this raises an error`` at or directly above the failing line, or so the text above.

    Not where the notebook stores what the cell gave when it ran.
    """
    cell = find_cell(context)
    ran = bool(cell.outputs) and all(o.output_type != "error" for o in cell.outputs)
    if ran or context.failure.line < 1:
        return None
    notes = _collect_notes(context)
    note = next((t for t in notes if _is_announcement(t, context.failure)), "")
    if SHOWN.search(note) and context.failure.ename in _MISSPELT and remedies.has_safe_remedy(context):
        return None
    kinds = ("IndexError", "KeyError", "TypeError", "ValueError", "ZeroDivisionError")
    if not note and context.failure.ename.endswith(kinds):
        asked = next((t for t in notes if ASKED.search(t)), "")
        is_idle = "what if" in asked.lower()  # "what if prices rise?" asks of the data, and any rule may know better
        has_remedy = remedies.has_remedy if is_idle else remedies.has_safe_remedy
        note = asked if asked and (_ABSENT.search(asked) or not has_remedy(context)) else ""
    if not note:
        return None
    return leave_alone(
        f"The notebook says that this fails: “{note.strip('# ').strip()[:120]}”.", SkipReason.DELIBERATE,
        TAG_IT, Locus.CODE, 85,
    )  # fmt: skip


def _is_announcement(note: str, failure: Failure) -> bool:
    """Whether a note says that the code fails: in words, or as a comment that is the error's own name (``# TypeError!``).

    A note that names another error speaks of something else, unless that is a kind of which this one is.
    """
    plain = note.replace("`", "").replace("*", "")
    named = set(_ERROR_NAME.findall(plain))
    if named and not named & _list_kinds(failure.ename):
        return False
    if POSED.search(plain):
        return True
    if TROUBLED.search(plain):
        return False
    if _is_sought(plain):
        return True
    headed = re.fullmatch(
        rf"[^\w?]*(?:(?:raises?|gives?|throws?|an?|this|is) )*{re.escape(failure.ename)}(?:[^\w?]*|: ([^?]*))", plain
    )
    if headed and _is_message(headed[1] or "", failure):
        return not OTHERWISE.search(plain)
    if _is_title(plain, failure) or (REFUSED.search(plain) and failure.ename not in _MISSPELT):
        return True
    if (shown := SHOWN.search(plain)) is not None:
        return not REMEDY.search(plain, shown.end())
    if failure.kind is FailureKind.SYNTAX and SIGN_LEFT_OUT.search(plain):
        return not _UNDONE.search(plain)
    told = ANNOUNCED.search(plain) or _find_explanation(plain, failure)
    return told is not None and not OTHERWISE.search(plain) and not REMEDY.search(plain, told.end())


def _is_title(note: str, failure: Failure) -> bool:
    """Whether a note is nothing but words of the message ("Index out of range:"), or a heading that begins with the error's name in
    words ("### Syntax errors and exceptions")."""
    said, message = (" ".join(re.findall(r"\w+", text.lower())) for text in (note, failure.evalue))
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", failure.ename).lower()
    is_heading = re.match(r"\s*##+\s", note) is not None and re.match(rf"{name}s?\b", said) is not None
    is_message = said.count(" ") > 1 and f" {said} " in f" {message} "
    return "?" not in note and (is_message or (is_heading and not OTHERWISE.search(note)))


def _is_sought(text: str) -> bool:
    """Whether a text asks its reader to find a fault; not somebody's who looks for it himself."""
    found = SOUGHT.search(text)
    return found is not None and not _OWN.search(text[: found.end()].rpartition("\n")[2])


def _is_message(text: str, failure: Failure) -> bool:
    """Whether what stands behind an error's name is nothing, its message (or how that begins), or says what does not go; a note of
    what is to be done is none of these."""
    said = " ".join(text.split()).rstrip(" .…!")
    message = " ".join(failure.evalue.replace("`", "").replace("*", "").split())
    if not said or said == message.rstrip(" .…!") or (len(said) >= 8 and message.startswith(said)):
        return True
    if re.match(r"(?:this|that|it) is what (?:python|we|you)\b|as expected\b", said, re.IGNORECASE):
        return True
    return bool(_NEGATION.search(said)) and not _UNDONE.search(said) and not REMEDY.search(said)


def _find_explanation(note: str, failure: Failure) -> re.Match[str] | None:
    """Where a note says of the language that the very thing which failed does not go."""
    if _UNDONE.search(note) or failure.ename not in _EXPLAINED:
        return None
    for words, message in _IMPOSSIBLE:
        if message.search(failure.evalue) and (told := words.search(note)):
            return told
    for words, message in _NAMED:
        name, told = message.search(failure.evalue), words.search(note)
        if name and told and re.search(rf"\b{name[1]}\b", note):
            return told
    return None


def _list_kinds(ename: str) -> set[str]:
    """The names of an error and of the kinds that it belongs to (an ``IndexError`` is a ``LookupError``), as far as Python has it."""
    error = getattr(builtins, ename, None)
    return {ename, *(kind.__name__ for kind in error.__mro__)} if isinstance(error, type) else {ename}


def _collect_notes(context: RuleContext) -> list[str]:
    """The comments on and directly above the failing line, and those that a cell of few lines begins with; where it is the cell's first or
    last statement, the text above the cell, of which its last sentence and those that speak of the cell are read."""
    lines = context.failure.source.splitlines()
    at = min(context.failure.line, len(lines)) - 1
    notes = [lines[at].partition("#")[2]] if lines else []
    if context.failure.kind is FailureKind.SYNTAX:
        notes += [line.strip() for line in lines if line.lstrip().startswith("#") and SIGN_LEFT_OUT.search(line)]
    above = at - 1
    while above >= 0 and lines[above].lstrip().startswith("#"):
        notes.append(lines[above])
        above -= 1
    head = next((n for n, line in enumerate(lines) if not line.lstrip().startswith("#")), 0)
    if (
        head <= above <= head + _FEW - 1
        and context.failure.statement == len(src.list_statements(context.failure.source)) - 1
    ):
        notes += lines[:head]
    cells = context.notebook.cells
    index = context.notebook.index(context.failure.cell_id)
    statement = context.failing_statement
    end = at + 1 if statement is None else statement.end_lineno or at + 1
    alone = not any(line.strip() for line in lines[: max(above + 1, 0)])
    above_cell = cells[index - 1] if index > 0 and cells[index - 1].kind == "markdown" else None
    if above_cell is not None and _is_sought(above_cell.source.replace("*", "")):
        return [*notes, above_cell.source]
    if (
        (alone or not any(line.split("#")[0].strip() for line in lines[end:]))
        and index > 0
        and cells[index - 1].kind == "markdown"
    ):
        text = [line for line in cells[index - 1].source.splitlines() if line.strip()]
        sentences = re.split(r"(?<=[.:!?])\s+", text[-1]) if text else []
        posed = [text[-1]] if text and POSED.search(text[-1]) else []
        if len(sentences) > 1 and _POINTER.fullmatch(sentences[-1].strip("*_` ")):
            sentences[-2:] = [" ".join(sentences[-2:])]
        notes += posed + sentences[-1:] + [s for s in sentences[:-1] if _OF_THE_CELL.search(s)]
    return notes + _list_sentences_farther_above(context, index)


def _list_sentences_farther_above(context: RuleContext, index: int) -> list[str]:
    """Sentences of a text with one cell of code between it and the failing one, that speak of the cell which raises it: they name the very error, or the text explains its message."""
    if index < 2 or [c.kind for c in context.notebook.cells[index - 2 : index]] != ["markdown", "code"]:
        return []
    sentences = re.split(r"(?<=[.:!?])\s+", context.notebook.cells[index - 2].source)
    is_explained = any(_find_explanation(s, context.failure) for s in sentences)
    return [s for s in sentences if (is_explained or context.failure.ename in s) and _OF_THE_CELL.search(s)]
