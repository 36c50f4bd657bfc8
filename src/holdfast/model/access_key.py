"""Access keys of the HTTP API: their role, their scope, their sessions, and how a secret looks."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NewType
from uuid import UUID

AccessKeyId = NewType("AccessKeyId", UUID)
SecretHash = NewType("SecretHash", bytes)
# They let secret scanners and redaction recognise a secret.
PREFIX = "hfk_"
SESSION_PREFIX = "hfs_"
LINK_PREFIX = "hfl_"
LONGEST_SECRET = 200


class AccessRole(StrEnum):
    VIEWER = "viewer"
    PRODUCER = "producer"
    WORKER = "worker"
    OPERATOR = "operator"
    ADMIN = "admin"


class AccessAction(StrEnum):
    """What a call of the API does; the database knows which roles may do it."""

    HEALTH = "health"
    METRICS = "metrics"
    ENQUEUE = "enqueue"
    READ_STATE = "read_state"
    READ_JOB = "read_job"
    LIST_JOBS = "list_jobs"
    WORK = "work"
    SIGNAL = "signal"
    OPERATE = "operate"
    BULK = "bulk"
    OPERATE_QUEUE = "operate_queue"
    OPERATE_INSTALLATION = "operate_installation"
    CHECK_ROLLOUT = "check_rollout"
    REPORT_METRIC = "report_metric"
    READ_INSTALLATION = "read_installation"
    MANAGE_KEYS = "manage_keys"


class AccessKeyState(StrEnum):
    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class AccessKey:
    """Without its secrets, which only their owner has; `secrets` is how many are accepted now."""

    id: UUID
    name: str
    role: AccessRole
    queues: list[str] | None
    tasks: list[str] | None
    state: AccessKeyState
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    secrets: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose access key a call carries; None in its queues or tasks means all.

    `scope` stands for both: keys with the same queues and tasks share it, a key for all has none.
    """

    key: UUID
    name: str
    role: AccessRole
    queues: list[str] | None
    tasks: list[str] | None
    scope: str | None

    def sees(self, queue: str, task: str) -> bool:
        """Whether jobs of this queue and task are in its scope."""
        return (self.queues is None or queue in self.queues) and (self.tasks is None or task in self.tasks)


@dataclass(frozen=True, slots=True)
class NewSecret:
    """Shown once. `until`: how long the earlier secrets of the key are accepted too."""

    name: str
    secret: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class LoginLink:
    """A secret that opens one session of the access key, until then. Shown once."""

    name: str
    secret: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Session:
    """A log-in with an access key. `lasts`: from its opening to `expires_at`, by the database's clock."""

    name: str
    role: AccessRole
    expires_at: datetime
    lasts: timedelta


def new_secret(prefix: str = PREFIX) -> str:
    """256 random bits, so that its plain SHA-256 cannot be guessed back."""
    return prefix + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> SecretHash:
    return SecretHash(hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest())
