"""The map of code files that IPython 7's compiler lacks."""

from __future__ import annotations

from types import SimpleNamespace

from jupyter_selfheal.surfaces.live.code_files import CodeFiles


class OldCompiler:
    """What IPython 7.34's has, as far as it is used."""

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return f"file of {raw_code}"

    def cache(self, transformed_code: str, number: int = 0, raw_code: str | None = None) -> str:
        return self.get_code_name(raw_code or transformed_code, transformed_code, number)


def test_the_map_holds_what_ran_before_and_since_and_goes_again() -> None:
    compiler = OldCompiler()
    shell = SimpleNamespace(compile=compiler, history_manager=SimpleNamespace(input_hist_raw=["", "a = 1"]))
    files = CodeFiles(shell)
    files.install()
    assert compiler.cache("b = 2", 2, raw_code="%time b = 2") == "file of %time b = 2"
    assert vars(compiler)["_filename_map"] == {"file of a = 1": 1, "file of %time b = 2": 2}
    files.remove()
    assert vars(compiler) == {}


def test_a_compiler_that_has_one_is_left_alone() -> None:
    compiler = SimpleNamespace(_filename_map={"x": 1})
    files = CodeFiles(SimpleNamespace(compile=compiler))
    files.install()
    files.remove()
    assert vars(compiler) == {"_filename_map": {"x": 1}}
