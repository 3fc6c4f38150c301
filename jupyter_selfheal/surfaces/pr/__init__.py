"""``jupyter selfheal pr``: what was healed as one pull request, what still fails as one issue."""
