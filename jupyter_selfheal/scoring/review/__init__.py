"""The review: what speaks against cells that ran. One check a file; nothing is changed because of it."""
