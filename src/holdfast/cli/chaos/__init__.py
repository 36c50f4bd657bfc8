"""`holdfast chaos`: real workers under seeded faults, and a check that no job was lost or doubled."""

from holdfast.cli.chaos.command import register

__all__ = ["register"]
