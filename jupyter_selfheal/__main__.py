"""``python -m jupyter_selfheal`` is ``jupyter selfheal``."""

from __future__ import annotations

import sys

from jupyter_selfheal.cli import main

sys.exit(main())
