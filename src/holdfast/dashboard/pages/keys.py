"""Access keys: list, create, rotate and revoke them. A secret is shown once, in the answer that made it."""

from collections.abc import Mapping

from starlette.requests import Request

from holdfast.api.people.access_keys import MOST_KEYS
from holdfast.api.request.access import Access
from holdfast.dashboard.page import Page, Shown, View
from holdfast.db.access_keys import list_access_keys
from holdfast.model.access_key import AccessAction, AccessRole, Caller

ROLES = {
    AccessRole.VIEWER: "read jobs and figures",
    AccessRole.PRODUCER: "enqueue jobs, and read the states of jobs",
    AccessRole.WORKER: "claim and end jobs, enqueue, and read the states of jobs",
    AccessRole.OPERATOR: "enqueue, read, and change jobs and settings",
    AccessRole.ADMIN: "all of that, and manage access keys",
}


class Keys(Page):
    path = "/keys"
    template = "keys.html"
    is_live = False

    async def allow(self, access: Access, request: Request, path: Mapping[str, str]) -> Caller:
        return await access.check(request, AccessAction.MANAGE_KEYS)

    async def read(self, view: View) -> Shown:
        is_all = view.get("all") == "1"
        found = await list_access_keys(view.database, MOST_KEYS, is_all)
        values = {
            "keys": found,
            "is_all": is_all,
            "most": MOST_KEYS,
            "roles": ROLES,
            "mine": view.caller.key,
        }
        return Shown("Access keys", values)
