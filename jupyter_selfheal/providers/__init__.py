"""Language models behind one port (:class:`jupyter_selfheal.ports.Provider`): Anthropic, OpenAI-compatible, scripted."""
