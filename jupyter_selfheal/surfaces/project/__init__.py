"""Code beside the notebook: failures in a project's own files, healed there, and its tests as an oracle."""
