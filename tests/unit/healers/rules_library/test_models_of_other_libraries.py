"""What tables say of libraries that no test environment has: proven on stand-ins, small modules with their present signatures."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from jupyter_selfheal.model import Applicability, Patch
from jupyter_selfheal.testing.rule_conformance import Bench

XGBOOST = """class XGBModel:
    def set_params(self, **given):
        self.__dict__.update(given)
        return self
    def fit(self, X, y, *, eval_set=None, verbose=True):
        return self
class XGBRegressor(XGBModel):
    best_iteration = 4
    def predict(self, X, *, iteration_range=None):
        return iteration_range
"""
LIGHTGBM = """def early_stopping(rounds):
    return rounds
def log_evaluation(period=1):
    return period
def train(params, data, num_boost_round=100, valid_sets=None, callbacks=None):
    return callbacks
"""
NLTK = """class FreqDist(dict):
    def most_common(self):
        return sorted(self.items(), key=lambda pair: -pair[1])
"""
GENSIM = """class KeyedVectors:
    key_to_index = {'elbe': 0, 'oder': 1}
    def __getattr__(self, name):
        raise AttributeError("The vocab attribute was removed from KeyedVector in Gensim 4.0.0") if name == "vocab" else AttributeError(name)
class Word2Vec:
    wv = {'elbe': 0}
class Doc2Vec(Word2Vec):
    dv = [1]
"""
SKIMAGE = """def gaussian(image, sigma=1, *, channel_axis=None):
    return channel_axis
"""
KERAS = """def Conv2D(filters, kernel_size, strides=(1, 1), **given):
    if set(given) - {"padding"}:
        raise ValueError(f"Unrecognized keyword arguments passed to Conv2D: {given}")
    return filters, kernel_size, strides, given
class Model:
    def predict(self, x, batch_size=None, verbose="auto", steps=None):
        return steps
"""
SOURCES = {
    "xgboost": XGBOOST, "lightgbm": LIGHTGBM, "nltk": NLTK, "gensim": GENSIM, "skimage": SKIMAGE, "keras": KERAS,
}  # fmt: skip


@pytest.fixture
def stand_ins(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """The bench with a module for each library, which no later test finds loaded."""
    before = {name: sys.modules.pop(name, None) for name in SOURCES}
    for name, source in SOURCES.items():
        bench.write_file(f"{name}.py", source)
    monkeypatch.syspath_prepend(bench.folder)
    yield bench
    for name, module in before.items():
        sys.modules.pop(name, None)
        if module is not None:
            sys.modules[name] = module


def mend(bench: Bench, code: str, *cells: str) -> tuple[str, Applicability]:
    """What the rule makes of the failing cell, the last of these that is run, and how sure it is."""
    patch: Patch = bench.propose_patches(code, *cells)[0]
    return patch.edits[0].source, patch.applicability  # type: ignore[union-attr]


SAFE, UNSAFE = Applicability.SAFE, Applicability.UNSAFE


def test_what_fit_took_is_set_on_the_model_itself(stand_ins: Bench) -> None:
    made = "import xgboost as xgb\nmodel = xgb.XGBRegressor()"
    assert mend(
        stand_ins, "API201", made, "model.fit([1], [2], eval_set=[3], early_stopping_rounds=5, verbose=False)"
    ) == (
        "model.set_params(early_stopping_rounds=5).fit([1], [2], eval_set=[3], verbose=False)",
        SAFE,
    )
    ask = "model.predict([1], ntree_limit=model.best_iteration)"
    assert mend(stand_ins, "API201", made, ask) == (
        "model.predict([1], iteration_range=(0, model.best_iteration))",
        SAFE,
    )
    assert mend(stand_ins, "API201", f"{made}\nnum_parallel_tree = 4", ask)[1] is UNSAFE


def test_a_second_callback_joins_the_list_of_the_first(stand_ins: Bench) -> None:
    made = "import lightgbm as lgb"
    once = "lgb.train({}, [], 9, valid_sets=[[]], early_stopping_rounds=5, verbose_eval=50)"
    first, level = mend(stand_ins, "API201", made, once)
    assert (first, level) == (
        "lgb.train({}, [], 9, valid_sets=[[]], callbacks=[lgb.early_stopping(5)], verbose_eval=50)",
        SAFE,
    )
    assert mend(stand_ins, "API201", made, first)[0] == (
        "lgb.train({}, [], 9, valid_sets=[[]], callbacks=[lgb.early_stopping(5), lgb.log_evaluation(50)])"
    )
    assert stand_ins.is_silent(
        "API201", f"{made}\nmine = [print]", "lgb.train({}, [], callbacks=mine, early_stopping_rounds=5)"
    )


def test_the_words_of_a_distribution_come_by_their_count(stand_ins: Bench) -> None:
    made = "from nltk import FreqDist\nwords = FreqDist({'oak': 1, 'elm': 3, 'ash': 2})"
    assert mend(stand_ins, "TYP101", made, "words.keys()[:2]")[0] == "[k for k, _ in words.most_common()][:2]"
    assert mend(stand_ins, "TYP101", made, "top = words.items()\ntop[0]")[0] == "top = words.most_common()\ntop[0]"
    assert mend(stand_ins, "TYP101", "words = {'oak': 1}", "words.keys()[:2]")[0] == "list(words.keys())[:2]"


def test_words_with_numbers_stand_for_a_vocabulary_where_nothing_asks_more(stand_ins: Bench) -> None:
    made = "from gensim import KeyedVectors\nrivers = KeyedVectors()"
    assert mend(stand_ins, "API103", made, "len(rivers.vocab)") == ("len(rivers.key_to_index)", SAFE)
    assert mend(stand_ins, "API103", made, "rivers.vocab['elbe'].count")[1] is UNSAFE
    assert mend(stand_ins, "API103", made, "known = rivers.vocab\nknown['elbe'].count")[1] is UNSAFE


def test_channels_are_the_last_axis(stand_ins: Bench) -> None:
    assert mend(stand_ins, "API201", "import skimage", "skimage.gaussian([1], 2, multichannel=True)") == (
        "skimage.gaussian([1], 2, channel_axis=-1)",
        SAFE,
    )
    assert stand_ins.is_silent("API201", "import skimage\nhas = True", "skimage.gaussian([1], 2, multichannel=has)")


def test_a_kernel_whose_sizes_stand_apart_is_left_to_the_user(stand_ins: Bench) -> None:
    given = "keras.Conv2D(8, (3, 3), border_mode='same')"
    assert mend(stand_ins, "API201", "import keras", given) == ("keras.Conv2D(8, (3, 3), padding='same')", SAFE)
    assert mend(stand_ins, "API201", "import keras", "keras.Conv2D(8, 3, 3, border_mode='same')")[1] is UNSAFE


def test_how_many_batches_come_is_no_size_of_a_batch(stand_ins: Bench) -> None:
    made = "import keras\nmodel, pictures = keras.Model(), []"
    assert mend(stand_ins, "API103", made, "model.predict_generator(pictures, steps=9)") == ("model.predict(pictures, steps=9)", SAFE)  # fmt: skip
    assert mend(stand_ins, "API103", made, "model.predict_generator(pictures, 9)") == ("model.predict(pictures, steps=9)", UNSAFE)  # fmt: skip


def test_an_item_of_documents_may_be_one_of_them(stand_ins: Bench) -> None:
    made = "import gensim\nrivers, letters = gensim.Word2Vec(), gensim.Doc2Vec()"
    assert mend(stand_ins, "API216", made, "rivers['elbe']") == ("rivers.wv['elbe']", SAFE)
    assert mend(stand_ins, "API216", made, "letters[0]") == ("letters.wv[0]", UNSAFE)
