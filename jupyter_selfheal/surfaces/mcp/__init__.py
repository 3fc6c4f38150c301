"""``jupyter selfheal mcp``: what coding agents ask of a notebook, over the Model Context Protocol.

An agent's own edit is proven in the exact state of the notebook before the file is touched. Everything is done by the
engine and the batch run; what is here keeps states between calls, holds paths within the roots, and puts results into few words.

The SDK (``mcp``) is imported in :mod:`.server` and :mod:`.http` alone.
"""
