from __future__ import annotations

import pytest

from jupyter_selfheal.scoring.imports import adds_only_imports
from tests.scoring_cases import case_of, patch_of


@pytest.mark.parametrize(
    ("new", "answer"),
    [
        ("import pandas as pd\ndf = pd.DataFrame()\nprint(df)", True),
        ("df = pd.DataFrame()\nimport pandas as pd\nprint(df)", True),
        ("import pandas as pd\ndf = pd.DataFrame([])\nprint(df)", False),
        ("import pandas as pd\nprint(df)", False),
        ("import pandas as pd\npd.options.mode = 1\ndf = pd.DataFrame()\nprint(df)", False),
    ],
)
def test_a_patch_that_only_imports_is_known(new: str, answer: bool) -> None:
    case = case_of(["x = 1", "df = pd.DataFrame()\nprint(df)"], failing=1, ename="NameError")
    assert adds_only_imports(case, patch_of(case, new)) is answer
