"""What a page is: a path, who may see it, what it reads, and the template that shows it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from starlette.requests import Request

from holdfast.api.request.access import Access
from holdfast.client.app import Holdfast
from holdfast.db.connect import Database
from holdfast.model.access_key import AccessAction, AccessRole, Caller
from holdfast.model.id import JobId
from holdfast.model.masking import Masking

# Around reads in a task of their own: whose connections they use.
Share = Callable[[], AbstractAsyncContextManager[object]]

OPERATORS = frozenset({AccessRole.OPERATOR, AccessRole.ADMIN})


@dataclass(frozen=True, slots=True)
class View:
    """Who looks at which page: the caller, the parts of the path by name, and the query.

    `masking`: which fields of payloads and other documents are hidden. `share`: the caller's connections, for
    what is read in other tasks.
    """

    app: Holdfast
    caller: Caller
    path: Mapping[str, str]
    query: tuple[tuple[str, str], ...]
    now: datetime  # of the database's clock
    masking: Masking
    share: Share

    @property
    def database(self) -> Database:
        return self.app.database

    def get(self, name: str, default: str = "") -> str:
        """The last value of a query parameter."""
        return dict(self.query).get(name, default)

    def every(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name]

    def queue_in_scope(self, wanted: str) -> str:
        """The queue that a list is limited to: the wanted one, or the first one of the caller's scope."""
        queues = self.caller.queues
        return wanted if queues is None or wanted in queues else queues[0]

    @property
    def sees_all(self) -> bool:
        """Whether the access key is for all queues and tasks."""
        return self.caller.scope is None

    @property
    def is_admin(self) -> bool:
        return self.caller.role is AccessRole.ADMIN

    @property
    def may_operate(self) -> bool:
        return self.caller.role in OPERATORS

    @property
    def may_operate_all(self) -> bool:
        """Whether the caller may change what belongs to the whole installation."""
        return self.may_operate and self.sees_all


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows. `title` is the document's, the verdict first; `here` names the page at the end of
    `crumbs`, the way to it as words and paths; `values` are those of its template.
    """

    title: str
    values: Mapping[str, Any]
    here: str = ""
    crumbs: tuple[tuple[str, str], ...] = ()


class Elsewhere(Exception):
    """Raised by a page: the browser shall open another one. `path` is below the root path."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Page(ABC):
    """`path` and `template` name it; a page that `is_live` follows changes while it is open."""

    path: ClassVar[str]
    template: ClassVar[str]
    is_live: ClassVar[bool] = True

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        """The caller, if the database allows it this page; pages that show less need less."""
        return await access.check(request, AccessAction.READ_INSTALLATION)

    def job_of(self, path: Mapping[str, str]) -> JobId | None:
        """The job that it shows: a stream of it ends when the job leaves the scope of the caller's key."""
        return None

    @abstractmethod
    async def read(self, view: View) -> Shown: ...
