"""The mark of a checkpoint without a name."""

from typing import Any

RESUME_DATA = "resume_data"  # the name under which it is saved
UNNAMED: Any = object()
