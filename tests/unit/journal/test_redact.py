"""Secrets out, and back in; nothing else touched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_selfheal.journal.redact import Redactor, _find_secrets, _merge_spans, redact, redact_json
from tests.work import count_seconds, grows_less

ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def letters(low: int, high: int, alphabet: str = ALNUM) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=low, max_size=high)


SECRETS = st.one_of(
    letters(20, 40).map("sk-ant-".__add__),
    letters(36, 36).map("ghp_".__add__),
    letters(16, 16, ALNUM[:26] + ALNUM[52:]).map("AKIA".__add__),
    letters(30, 34).map("hf_".__add__),
    letters(20, 60).map(lambda s: f"-----BEGIN RSA PRIVATE KEY-----\n{s}\n-----END RSA PRIVATE KEY-----"),
    st.tuples(letters(10, 20), letters(10, 20), letters(10, 20)).map(lambda t: "eyJ" + ".".join(t)),
)
PLAIN = st.text(st.characters(codec="utf-8"), max_size=60)


@given(st.lists(PLAIN | SECRETS.map(lambda s: f" {s} "), max_size=6))
def test_restoring_gives_back_every_byte(parts: list[str]) -> None:
    text = "".join(parts)
    redactor = Redactor()
    assert redactor.restore(redactor.redact(text)) == text


@given(st.text("SELFHEAL_ECRT0123456789 =:'\"pasword", max_size=120))
def test_restoring_survives_text_that_looks_like_ours(text: str) -> None:
    redactor = Redactor()
    assert redactor.restore(redactor.redact(text)) == text


@given(PLAIN, SECRETS, PLAIN)
def test_a_secret_never_stays(before: str, secret: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}")


@given(letters(6, 20), st.sampled_from(["password", "API_KEY", "db_token", "client_secret", "AWS_SECRET_ACCESS_KEY"]))
def test_what_is_assigned_to_a_telling_name_goes(value: str, name: str) -> None:
    for text in (f"{name} = '{value}'", f'{{"{name}": "{value}"}}', f'os.environ["{name}"] = "{value}"'):
        assert value not in redact(text).replace(name, "")


@given(letters(6, 20))
def test_passwords_in_addresses_and_headers_go(value: str) -> None:
    assert f":{value}@" not in redact(f"postgresql://bob:{value}@db.example/sales")
    assert value not in redact(f'headers = {{"Authorization": "Bearer {value}"}}').replace("Bearer", "")


@given(SECRETS)
def test_the_same_secret_has_one_placeholder_in_every_text(secret: str) -> None:
    redactor = Redactor()
    first, second = redactor.redact(f"a {secret}"), redactor.redact(f"bb {secret}")
    assert first[2:] == second[3:]


@pytest.mark.parametrize(
    "code",
    [
        "max_tokens = 4096",
        "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
        "token = get_token(request)",
        "secret = config.value",
        "password = getpass.getpass()",
        "tokens = text.split()",
        "df['passenger'] = 'third class'",
        "x = 'https://example.org/a:b@c'",
        "author = 'Emily Dickinson'",
    ],
)
def test_ordinary_code_stays_as_it_is(code: str) -> None:
    assert redact(code) == code


def test_json_is_redacted_in_all_its_strings() -> None:
    key = "ghp_" + "a" * 36
    assert key not in str(redact_json({"a": [key, {"b": f"x {key}"}], "n": 1}))


# --- in time that grows as the text does -----------------------------------------------------------------------------

REPEATED = (
    "token_", "token=", "token=a1", "token = ", "token='", "token=\"a' ", "api_key-", "token]", "eyJ-", "eyJaaaaaaaa.b-",
    "authorization: ", "authorization:" + " " * 40, "://a:", "a://b:c", "-----BEGIN ", "-----BEGIN PRIVATE KEY", "sk-",
    "glpat-", "bearer ", "SELFHEAL_SECRET_1", "password:\n",
)  # fmt: skip


def is_linear(make: Callable[[int], str], size: int) -> bool:
    """Whether redacting four times the text takes about four times as long: less than nine, where it would be sixteen."""
    small, large = make(size), make(4 * size)
    return grows_less(9, lambda: count_seconds(lambda: redact(small)), lambda: count_seconds(lambda: redact(large)))


@pytest.mark.parametrize("unit", [*REPEATED, "authorization: x" + " " * 1000, "token" + " " * 1000])
def test_four_times_the_text_takes_about_four_times_as_long(unit: str) -> None:
    assert is_linear(lambda size: unit * size, 8_000 // len(unit))


@pytest.mark.parametrize("before", ["authorization: ", "eyJ", "token", "password='", "token="])
def test_a_long_stretch_of_spaces_or_letters_is_read_once(before: str) -> None:
    for stretch in (" ", "a", "-eyJ", "=", "'"):
        assert is_linear(lambda size, stretch=stretch: before + stretch * size, 10_000), stretch


def test_many_different_secrets_take_no_longer_each() -> None:
    assert is_linear(lambda count: "\n".join(f"password = 'secret{n}'" for n in range(count)), 1_000)


# --- and nothing else is redacted than by the plain patterns, which say in one line each what a secret is -------------

_NAMED = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key)"
)
PLAIN_PATTERNS = (
    r"(?P<secret>SELFHEAL_SECRET_\d+_)",
    r"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
    r"(?<![\w-])(?P<secret>sk-[A-Za-z0-9_\-]{16,})",
    r"(?<!\w)(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_\-]{16,})",
    r"(?<![A-Z0-9])(?P<secret>(?:AKIA|ASIA)[A-Z0-9]{16})(?![A-Z0-9])",
    r"(?<!\w)(?P<secret>AIza[A-Za-z0-9_\-]{35}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_\-]{32,})",
    r"(?<!\w)(?P<secret>xox[abeoprs]-[A-Za-z0-9\-]{10,})",
    r"(?<![\w.])(?P<secret>eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*)",
    r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s/:@'\"]*:(?P<secret>[^\s/@'\"]+)@",
    r"(?i)authorization['\"]?\s*[:=]\s*[rbf]?['\"]?(?:bearer|basic|token|digest)?\s+?(?P<secret>[A-Za-z0-9+/=._~\-]{6,})",
    r"(?i)\bbearer\s+(?P<secret>[A-Za-z0-9+/=._~\-]{12,})",
    rf"(?i)(?<![a-z]){_NAMED}(?![a-z])\w*['\"]?\]?\s*[:=]\s*[rbuf]{{0,2}}(?P<q>['\"])(?P<secret>(?!(?P=q))[^\r\n]{{4,}}?)(?P=q)",
    (
        rf"(?i)(?<![a-z]){_NAMED}(?![a-z])\w*\s*[:=]\s*(?P<secret>(?=[^\s'\"()\[\]{{}},;.]*\d)(?=[^\s'\"()\[\]{{}},;.]*[a-z])"
        r"[^\s'\"()\[\]{},;.]{6,})(?![\w(.\[])"
    ),
)

FRAGMENTS = (
    *REPEATED, "password", "_", "-", "passwords", "API-KEY", "access_key", "credential", "s3cr3t", "abc123", "1234", "é1",
    "=", ":", " ", "\n", "'", '"', "]", "[", "(", ")", ".", ",", "rb'", "Bearer", "basic ", "abcdefgh", "eyJ", "eyJaaaaaaaa",
    ".bbbbbbbb.", "@", "//", "https://bob:", "sk-aaaaaaaaaaaaaaaaa", "hf_aaaaaaaaaaaaaaaaaaaaa", "_END", "r", "b", "\u212a",
)  # fmt: skip


def plain_spans(text: str) -> Iterator[tuple[int, int]]:
    for pattern in PLAIN_PATTERNS:
        yield from (match.span("secret") for match in re.finditer(pattern, text))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=14).map("".join))
@example("token_api-key='abcd'")
@example("token=token=abc=1(")
@example("authorization: b token abcdefgh")
@example("eyJaaaaaaaa.b-eyJcccccccc.dddddddd.")
def test_what_is_redacted_is_what_the_plain_patterns_say(text: str) -> None:
    assert set(_merge_spans(_find_secrets(text))) == set(_merge_spans(plain_spans(text)))


def test_a_known_key_is_found_whatever_it_looks_like_and_comes_back() -> None:
    redactor = Redactor(known=("correct horse battery", "short"))
    text = redactor.redact("gateway('correct horse battery')  # short")
    assert "horse" not in text
    assert text.endswith("# short")
    assert redactor.restore(text) == "gateway('correct horse battery')  # short"
