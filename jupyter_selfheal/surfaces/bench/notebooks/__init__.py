"""``jupyter selfheal bench aged|relancer CLONES``: public notebooks that no longer run, by a list that names them and carries nothing of them."""
