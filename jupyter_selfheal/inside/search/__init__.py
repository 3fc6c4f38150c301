"""The half of the search that runs inside a trial kernel: standard library only, sent as text (see ``inside/loader.py``)."""
