"""Agents: handlers that ask a model, let it call tools, and act on its decision."""
