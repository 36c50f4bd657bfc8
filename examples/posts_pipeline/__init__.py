"""Posts through triage, research, response and editorial: agents on two Ollama servers."""

from examples.posts_pipeline.run import FAULTS, main

__all__ = ["FAULTS", "main"]
