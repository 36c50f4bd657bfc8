"""The pages of runs, in parts: what is said of a run, and how its progress is drawn."""
