"""Writes docs/http-api-reference.md: `python -m tests.docs.http_reference` after a change of a route."""

from collections import defaultdict
from typing import Any

from holdfast.api.app import api_app
from holdfast.client.app import Holdfast
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "http-api-reference.md"
PREFIX = "/api/v1/"
METHODS = ("get", "post", "patch", "put", "delete")

TOP = """# Routes of the HTTP API

<!-- written by python -m tests.docs.http_reference -->

Every route; `GET /api/v1/openapi.json` describes them with schemas and examples.
[The guide](guides/http-api.md) says how to call them and which keys they need. Fields in bold are required.
Besides the parameters named here, lists take `limit` and `cursor`.
"""


def page() -> str:
    groups = defaultdict(list)
    for path, methods in api_app(Holdfast("postgresql://nobody@127.0.0.1:1/none")).openapi()["paths"].items():
        for method in METHODS:
            if method in methods:
                groups[_group(path, methods[method])].append(_row(method, path, methods[method]))
    sections = [f"## {name}\n\n{_table(groups[name])}" for name in sorted(groups)]
    return "\n".join([TOP, *sections])


def _group(path: str, route: dict[str, Any]) -> str:
    """The noun that it is declared under, else that of its path."""
    noun = path.removeprefix(PREFIX).split("/")[0] if path.startswith(PREFIX) else "probes"
    return str(route.get("tags", [noun])[0]).capitalize()


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = (f"| {' | '.join(row)} |" for row in rows)
    head = "| route | what it does | body | query |"
    return "\n".join([head, "|---|---|---|---|", *lines, ""])


def _row(method: str, path: str, route: dict[str, Any]) -> tuple[str, ...]:
    words = " ".join(route.get("description", "").split("\n\n")[0].split())
    return f"`{method.upper()} {path}`", words.replace("|", "\\|"), _fields(route), _query(route)


def _fields(route: dict[str, Any]) -> str:
    content = route.get("requestBody", {}).get("content", {})
    found = []
    for one in content.values():
        schema = one.get("schema", {})
        required = schema.get("required", [])
        found += [
            f"**`{name}`**" if name in required else f"`{name}`" for name in schema.get("properties", {})
        ]
    return " ".join(found) or ("see the guide" if content else "")


def _query(route: dict[str, Any]) -> str:
    names = [one["name"] for one in route.get("parameters", []) if one["in"] == "query"]
    return " ".join(f"`{name}`" for name in names if name not in ("limit", "cursor"))


if __name__ == "__main__":
    PAGE.write_text(page())
