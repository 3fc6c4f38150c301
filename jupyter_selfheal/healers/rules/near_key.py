"""KEY101: a key, column or label that is misspelt."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.columns_not_renamed import list_mappings_to
from jupyter_selfheal.healers.rules.context import Keys, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.key_places import list_key_places
from jupyter_selfheal.healers.rules.context.misspelt_definitions import (
    correct_definition,
    is_written_right,
    patch_definition,
)
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_plain_chain, shows_name
from jupyter_selfheal.healers.rules.context.renamings import find_missed_renaming
from jupyter_selfheal.healers.rules.context.spelling import (
    find_nearest,
    is_plain_slip,
    is_plural,
    is_proper_name,
    normalize,
)
from jupyter_selfheal.model import Applicability, Edit, Patch

MISSING = re.compile(r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`")
NOT_FOUND = re.compile(r"(?:Columns? not found: |^['\"]?Level )([^'\",]+?)(?: not found)?['\"]?$")
"""What a grouped table says, without quotes, and a table of an index of several levels."""

OF_TRANSFORMER = "are not columns of the dataframe"
"""What scikit-learn says of columns that it was told of when it was made."""

IN_VALUE_ERROR = re.compile(f"not in|Could not interpret|{OF_TRANSFORMER}")

SHORT = re.compile(r"[a-z][^aeiou\d]+")
"""``qty``, ``amt``, ``yr``: a word of which its vowels are left out."""

UNIT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*$")
"""A unit or a remark in brackets at the end of a column's name."""

RECKONING = frozenset({"value_counts", "groupby", "mean", "sum", "count", "max", "min", "median", "size", "nunique", "std", "first", "last", "set_index", "to_dict"})  # fmt: skip
"""Methods of tables that only reckon."""

SHORTEST = 4
"""Letters of a word, at least, that a longer one is shortened to."""

SEEN = "A stored output of the table heads a column as the cell has it: the table may be made otherwise than it was."


class NearKey(Rule):
    """Use the key or column that the live object has.

    **Failure** `KeyError: 'Pirce'` (or the `ValueError` and `AttributeError` that libraries make of it), where the very dictionary
    or table has a key, column or label that differs in case, blanks, punctuation, a plural, a slip of the keys, or a unit in brackets
    behind it (`petal length (cm)`).

    **Fix** The text that names it is written as the object has it, wherever the cell uses it in the same way; where it came by a name
    (`prices[item]`), in the one place of the cells up to here that says it. Where the notebook
    writes the object out and it is that spelling which is the odd one out (`{"balence": 0}`, `"balance"` everywhere else), it is
    corrected there.

    **Fix safety** Safe where one key only is so near by a slip, of a table's columns or of a mapping whose keys the notebook writes
    out; keys that were counted or read, and proper names (`Hanna`, `Hannah`) and codes (`GOOG`, `GOOGL`), a table's labels too, are data, as are units (`mW`, `MW`) and plurals. Unsafe where two are, and where a stored output of the table heads a column as the
    cell has it, so that the table was another one; silent where none is, since a missing
    key is then missing data, and a default value would hide it.
    """

    code = "KEY101"
    name = "misspelt key or column"
    enames = frozenset({"KeyError", "ValueError", "ColumnNotFoundError"})
    applicability = Applicability.UNSAFE
    why = "The key is near, but may have been meant as another."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for wrong in list_missing_keys(context):
            if next(list_mappings_to(context, wrong), None) is not None:
                return  # PDA154
            if find_missed_renaming(context, wrong) is not None:
                return  # PDA203
            for place in _list_places(context, wrong):
                patches = list(self._respell(context, wrong, *place))
                yield from patches
                if patches:
                    return

    def _respell(
        self, context: RuleContext, wrong: str, cell_id: str, source: str, node: ast.Constant, owner: str
    ) -> Iterator[Patch]:
        """The key spelt as the object has it, or, before it, where it is written down as it is used."""
        is_result = owner.endswith(")")
        keys = context.keys(owner, calls=is_result) if not is_result or _is_of_table(context, owner) else None
        if keys is None:
            return
        written = not is_result and (keys.is_table or _is_written_out(context, keys))
        seen = _is_seen_in_outputs(context, wrong, owner, keys)
        # of another table, as where two are joined
        is_right_there = keys.is_table and (_is_defined(context, wrong) or _is_joined(context))
        stands_there = node in context.list_failing_nodes(ast.Constant) or not is_written_right(wrong)
        for word, slip in list_meant_keys(wrong, keys):
            sure = slip and written and not seen and stands_there
            definition = _correct_definition(context, wrong, word, sure and not is_right_there) if written else ()
            if definition:
                cause = f"`{owner}` has no {wrong!r}: it is written down as {word!r}."
                yield patch_definition(self, definition, repr(word), repr(wrong), cause)
                sure = False
            yield self.patch(
                context.replace(cell_id, _respell_key(source, node, wrong, word)),
                f"Change `{wrong!r}` to `{word!r}`",
                f"`{owner}` has no {wrong!r}. Did you mean {word!r}?",
                applicability=Applicability.SAFE if sure else Applicability.UNSAFE,
                why="It is the only key that is near, by a slip." if sure else SEEN if seen else self.why,
                prior=0.85 if sure else 0.5,
            )


def _is_joined(context: RuleContext) -> bool:
    return any(read_last_name(call.func) in ("merge", "join") for call in context.list_calls_at_failure())


def _is_seen_in_outputs(context: RuleContext, name: str, owner: str, keys: Keys) -> bool:
    """Whether a stored output of a cell that shows the table heads a column so: the table had it when that cell ran."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    root = re.split(r"\W", owner, maxsplit=1)[0]
    lines = (
        line
        for cell in context.notebook.cells
        if cell.outputs and shows_name(context.source_of(cell.id), root)
        for output in cell.outputs
        if output.output_type != "error"
        for line in f"{output.text}\n{output.data.get('text/plain', '')}".split("\n")
        if word.search(line)
    )
    others = [re.compile(rf"(?<!\w){re.escape(k)}(?!\w)") for k in keys.columns if isinstance(k, str)]
    return len(name) > 2 and any(
        line.strip() == name
        or f"Name: {name}," in line
        or " non-null " in line
        or any(other.search(line) for other in others)
        for line in lines
    )


def _is_defined(context: RuleContext, key: str) -> bool:
    """Whether a cell writes a table, or another object, with this key."""
    sources = (context.source_of(c.id) for c in context.notebook.cells if c.kind == "code")
    return any(is_bound for source in sources for _, is_bound, _ in list_key_places(source, key))


def _correct_definition(context: RuleContext, wrong: str, word: str, sure: bool) -> tuple[Edit, ...]:
    """Edits that spell the key as it is used, where the key is no word and what is used is one, or it stands more often."""
    is_word = is_plain_slip(wrong, word) and is_written_right(wrong) and not is_written_right(word)
    return correct_definition(context, wrong, word, "key") if sure or is_word else ()


def list_missing_keys(context: RuleContext) -> list[str]:
    """The texts that the message quotes, as candidates for the missing key."""
    message = context.failure.evalue
    if context.failure.ename == "ValueError" and not IN_VALUE_ERROR.search(message):
        return []
    if message.startswith('"') and message.endswith('"') and message.count("'") > 1:
        message = message[1:-1]  # a sentence that quotes the key: "['Pirce'] not in index"
    quoted = [a or b or c for a, b, c in MISSING.findall(message) if a or b or c]
    return list(dict.fromkeys([*NOT_FOUND.findall(message.strip()), *quoted]))[:4]


def _list_places(context: RuleContext, wrong: str) -> Iterator[tuple[str, str, ast.Constant, str]]:
    """Constants of that text, with the object that they are looked up in: where it failed, or else where its value comes from."""
    direct = list(_list_failing_places(context, wrong))
    yield from direct or _list_distant_places(context, wrong)


def _list_distant_places(context: RuleContext, wrong: str) -> Iterator[tuple[str, str, ast.Constant, str]]:
    """The one constant of that text in the failing cell and those above, where a key is looked up by a name (`prices[item]`), or a transformer was
    told of it."""
    owners = [
        owner
        for node in context.list_failing_nodes(ast.Subscript)
        if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Constant)
        for owner in _list_owners(node, context.source)
    ]
    if OF_TRANSFORMER in context.failure.evalue:
        owners += [
            owner for call in context.list_failing_nodes(ast.Call) for owner in _list_owners(call, context.source)
        ]
    if not owners:
        return
    cells = dict.fromkeys((*context.list_cells_upwards(), context.cell_id))
    found = [
        (cell_id, source, node)
        for cell_id, source in ((i, context.source_of(i)) for i in cells)
        for node in src.walk(source)
        if isinstance(node, ast.Constant) and node.value == wrong
    ]
    if len(found) == 1:
        yield from ((*found[0], owner) for owner in dict.fromkeys(owners))


def _list_failing_places(context: RuleContext, wrong: str) -> Iterator[tuple[str, str, ast.Constant, str]]:
    for node in context.list_failing_nodes(ast.Subscript, ast.Call):
        constants = [n for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value == wrong]
        if not constants:
            continue
        for owner in _list_owners(node, context.source):
            yield context.cell_id, context.source, constants[0], owner


def _list_owners(node: ast.AST, source: str) -> Iterator[str]:
    """Plain chains that the key may be looked up in: what is subscripted, what a method is called on, ``data=``."""
    if isinstance(node, ast.Subscript):
        value = node.value
        if isinstance(value, ast.Attribute) and value.attr in ("loc", "at"):
            value = value.value
        if text := read_plain_chain(value, source):
            yield text
        elif is_reckoned(value):
            yield src.extract_text(source, value)
        yield from _list_owners(value, source)
    elif isinstance(node, ast.Call):
        for given in node.keywords:
            if given.arg in ("data", "data_frame", "df") and (text := read_plain_chain(given.value, source)):
                yield text
        if isinstance(node.func, ast.Attribute):
            if text := read_plain_chain(node.func.value, source):
                yield text
            yield from _list_owners(node.func.value, source)
        for argument in node.args:
            if isinstance(argument, ast.Name):
                yield argument.id
    elif isinstance(node, ast.Attribute):
        if text := read_plain_chain(node.value, source):
            yield text
        yield from _list_owners(node.value, source)


def is_reckoned(node: ast.AST) -> bool:
    """True for a result of pandas that asking for it anew changes nothing: ``df["dept"].value_counts()``."""
    called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    return isinstance(node, ast.Call) and all(isinstance(f, ast.Attribute) and f.attr in RECKONING for f in called)


def _is_of_table(context: RuleContext, text: str) -> bool:
    """Whether what is reckoned with is pandas': a method of one's own of such a name may do anything."""
    root = re.match(r"\w+", text)
    return root is not None and context.describe_all([root[0]])[0].is_a("pandas.DataFrame", "pandas.Series")


def list_meant_keys(wrong: str, keys: Keys) -> list[tuple[str, bool]]:
    """Keys that may be meant → whether one alone is."""
    pool = [k for k in (*keys.keys, *keys.columns, *keys.index_names) if isinstance(k, str)]
    pool += [k for k in keys.index if isinstance(k, str)]
    pool += [k for c in keys.columns if isinstance(c, tuple) for k in c if isinstance(k, str)]
    if wrong in keys.keys or wrong in keys.columns:
        return []
    near = [k for k in find_nearest(wrong, pool) if not _has_other_unit(wrong, k)]
    if not near:
        near = [k for k in dict.fromkeys(pool) if is_plural(normalize(wrong), normalize(k))]
    if not near:
        near = _list_with_unit(wrong, pool) or (_list_shortened(wrong, keys) if keys.is_table else [])
    if len(near) != 1:
        return [(k, False) for k in near[:2]]
    word = near[0]
    slip = is_plain_slip(wrong, word, strict=True) and not is_plural(wrong.casefold(), word.casefold())
    slip = slip and not (keyword.iskeyword(wrong) or hasattr(builtins, wrong))  # a word of its own
    columns = [k for k in keys.columns if isinstance(k, str)]
    is_data = word not in columns or all(
        map(is_proper_name, columns)
    )  # a table's labels, too, or a column for each share
    others = normalize(wrong) != normalize(word) and is_proper_name(wrong) and is_proper_name(word)
    slip = slip and not (is_data and others)
    return [(word, slip and (len(wrong) > 2 or (keys.is_table and normalize(wrong) == normalize(word))))]


def _has_other_unit(one: str, other: str) -> bool:
    """``price (EUR)`` and ``price (USD)``: the same but for what stands in the brackets."""
    units = [normalize(found[0]) if (found := UNIT.search(key)) else "" for key in (one, other)]
    bare = {normalize(UNIT.sub("", key)) for key in (one, other)}
    return all(units) and units[0] != units[1] and len(bare) == 1


def _list_with_unit(wrong: str, pool: Iterable[str]) -> list[str]:
    """Keys that are the wrong one with, or without, a unit or a remark in brackets behind it: ``petal length (cm)``."""
    bare = normalize(UNIT.sub("", wrong))
    units = {bool(UNIT.search(wrong))}
    found = dict.fromkeys(k for k in pool if normalize(UNIT.sub("", k)) == bare and {bool(UNIT.search(k))} != units)
    return list(found) if bare else []


def _list_shortened(wrong: str, keys: Keys) -> list[str]:
    """Columns that begin with the wrong one, or it with them: ``temp`` for ``temperature``; or that have, or leave out, its vowels: ``qty`` for ``quantity``."""
    told = normalize(wrong)
    columns = {k: normalize(k) for k in keys.columns if isinstance(k, str)}
    begun = [k for k, name in columns.items() if name.startswith(told) or told.startswith(name)]
    if begun:
        return begun if all(min(len(columns[k]), len(told)) >= SHORTEST for k in begun) else []
    return [k for k, name in columns.items() if _leaves_vowels_out(name, told) or _leaves_vowels_out(told, name)]


def _leaves_vowels_out(short: str, word: str) -> bool:
    """``qty`` of ``quantity``: letters of the word in their order, its first and its last one among them, and no vowel but the first."""
    if not SHORT.fullmatch(short) or short[0] != word[:1] or short[-1] != word[-1:]:
        return False
    rest = iter(word)
    return len(short) < len(word) and all(letter in rest for letter in short)


def _is_written_out(context: RuleContext, keys: Keys) -> bool:
    """True where every key of a mapping stands in the notebook: keys that were counted or read are data, not its structure."""
    texts = {
        n.value
        for c in context.notebook.cells
        if c.kind == "code"
        for n in src.walk(context.source_of(c.id))
        if isinstance(n, ast.Constant) and isinstance(n.value, str)
    }
    keywords = {
        n.arg
        for c in context.notebook.cells
        if c.kind == "code"
        for n in src.walk(context.source_of(c.id))
        if isinstance(n, ast.keyword)
    }
    return all(k in texts or k in keywords for k in keys.keys if isinstance(k, str))


def _respell_key(source: str, node: ast.Constant, wrong: str, word: str) -> list[Splice]:
    """Every constant of that text in the statements that use it as a key, with its own quotes."""
    around = ((s, *src.find_span(source, s.node)) for s in src.list_statements(source))
    statement = next((s for s, start, end in around if start <= src.find_span(source, node)[0] < end), None)
    scope = src.parse(source) if statement is None else statement.node
    splices: list[Splice] = []
    for other in ast.walk(scope or ast.Module([], [])):
        if isinstance(other, ast.Constant) and other.value == wrong:
            start, end = src.find_span(source, other)
            text = source[start:end]
            quote = text[-1] if text[-1:] in "'\"" else "'"
            written = repr(word) if quote in word or "\\" in word or "\n" in word else f"{quote}{word}{quote}"
            splices.append((start, end, written))
    return splices
