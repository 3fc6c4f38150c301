from __future__ import annotations

from typing import Any

import pytest

from jupyter_selfheal.scoring.imports import only_imports


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
def test_a_patch_that_only_imports_is_known(new: str, answer: bool, case_of: Any, patch_of: Any) -> None:
    case = case_of(["x = 1", "df = pd.DataFrame()\nprint(df)"], failing=1, ename="NameError")
    assert only_imports(case, patch_of(case, new)) is answer
