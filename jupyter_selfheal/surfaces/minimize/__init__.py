"""``jupyter selfheal minimize``: the smallest notebook that still fails in the same way."""
