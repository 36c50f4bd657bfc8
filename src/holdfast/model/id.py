"""The ids: each kind its own type, so that a worker's id cannot be passed for a job's."""

from typing import NewType
from uuid import UUID

JobId = NewType("JobId", UUID)
RunId = NewType("RunId", UUID)
WorkerId = NewType("WorkerId", UUID)
Token = NewType("Token", UUID)
