"""Mutation operators by kind: the ways in which the search changes a statement."""
