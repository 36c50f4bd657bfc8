"""Each test begins at the start of a day."""

from tests.sql.audit_trail import clock

__all__ = ["clock"]
