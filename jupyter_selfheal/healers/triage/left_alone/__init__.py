"""Checks that say of a failure that it must be left alone, and why: each is certain of one thing or says nothing."""
