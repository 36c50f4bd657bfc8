"""Agents: handlers that ask a model, let it call tools, and do as it decides."""
