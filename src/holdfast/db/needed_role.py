"""Which role a refused statement needs, from the same list as the grants."""

import json
import re
from collections.abc import Sequence
from functools import cache

from holdfast.db.sql_files import load_sql_files

_VERBS = re.compile(r"verbs constant jsonb := '(\{.*?\})';", re.DOTALL)
_REFUSED = re.compile(r"permission denied for (function|procedure|view|schema) (\w+)")
_CALLED = re.compile(r"\bholdfast\.(\w+)")
_VIEWER = "holdfast_viewer"


def role_hint(message: str, query: str = "") -> str | None:
    """The role to grant, if the server's message or the statement names the object."""
    found = _REFUSED.search(message)
    if found is None:
        return None
    kind, name = found.groups()
    if kind == "schema":  # the user has no role at all; only the statement names the object
        called = _CALLED.search(query)
        return _hint(called[1]) if called and name == "holdfast" else None
    return _hint(name)


def _hint(name: str) -> str | None:
    roles = [_VIEWER] if name.endswith("_view") else _roles_of(name)
    return f"{name} needs the role {_either(roles)}: grant it to the user" if roles else None


def _roles_of(verb: str) -> list[str]:
    return [role for role, verbs in granted_verbs().items() if verb in verbs]


@cache
def granted_verbs() -> dict[str, list[str]]:
    """The verbs of each role."""
    found = _VERBS.search(load_sql_files().grants)
    return json.loads(found[1]) if found else {}


def _either(roles: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(roles[:-1]), roles[-1])))
