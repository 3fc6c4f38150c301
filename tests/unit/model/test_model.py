from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_selfheal import model, wire

HERE = Path(model.__file__).parent


def test_every_public_noun_of_every_module_is_a_name_of_the_model() -> None:
    found = set()
    for path in HERE.glob("[a-z]*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                found.add(ast.unparse(target))
    assert {name for name in found if not name.startswith("_")} == set(model.__all__)
    for name in model.__all__:
        assert getattr(model, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        model.Nothing  # type: ignore[attr-defined]


def test_a_noun_is_imported_when_it_is_asked_for_and_travels_from_anywhere() -> None:
    """In a new process, where nothing has asked for anything yet."""
    program = (
        "import sys\nfrom jupyter_selfheal.model import Oracle\nfrom jupyter_selfheal import wire\n"
        "early = sorted(m for m in sys.modules if m.startswith('jupyter_selfheal.model.'))\n"
        """print(early, wire.loads('{"v": 1, "body": {"$": "Decision", "choice": "approve"}}').choice.name)"""
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['jupyter_selfheal.model.notebook'] APPROVE\n"


def test_a_class_of_the_models_name_cannot_be_registered() -> None:
    with pytest.raises(TypeError, match="two wire classes are named Cell"):
        wire.register(type("Cell", (), {}))


@pytest.mark.parametrize(
    ("first", "joined"),
    [
        ("Did you mean `a`?", "Did you mean `a`? `d` isn't defined"),
        ("It is `a`.", "It is `a`. `d` isn't defined"),
        ("It is `a`", "It is `a`; `d` isn't defined"),
    ],
)
def test_what_two_patches_say_is_joined_as_sentences_are(first: str, joined: str) -> None:
    one = model.Patch((model.Replace("c", "x", "a"),), "", cause=first)
    two = model.Patch((model.Replace("c", "a", "b"),), "", cause="`d` isn't defined")
    assert model.compose(one, two).cause == joined


@pytest.mark.parametrize(
    ("first", "second", "guess"),
    [
        (model.Applicability.UNSAFE, model.Applicability.SAFE, "one"),
        (model.Applicability.UNSAFE, model.Applicability.UNSAFE, "one"),
        (model.Applicability.SAFE, model.Applicability.UNSAFE, ""),
        (model.Applicability.SAFE, model.Applicability.SAFE, ""),
    ],
)
def test_a_patch_knows_the_guess_that_it_goes_on_from(
    first: model.Applicability, second: model.Applicability, guess: str
) -> None:
    one = model.Patch((model.Replace("c", "x", "a"),), "one", applicability=first)
    two = model.Patch((model.Replace("c", "a", "b"),), "two", applicability=second)
    both = model.compose(one, two)
    assert both.guess_before == guess
    third = model.compose(both, model.Patch((model.Replace("c", "b", "d"),), "three"))
    assert third.guess_before == (guess or ("one; two" if second is model.Applicability.UNSAFE else ""))
    assert model.compose(model.BASELINE, two).guess_before == ""
