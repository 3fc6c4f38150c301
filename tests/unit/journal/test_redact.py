"""Secrets out, and back in; nothing else touched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_selfheal.journal.redact import Redactor, redact, redact_json

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
