"""Forks of a run: what changes at an instant, and where the two futures part."""
