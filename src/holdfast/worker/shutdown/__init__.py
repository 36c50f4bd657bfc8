"""How a worker leaves."""
