"""Drivers of other people: one file for each whose transactions jobs can be enqueued in."""
