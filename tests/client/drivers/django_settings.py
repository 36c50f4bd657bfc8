"""Django without a project: the databases are set by each test."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import django
from django.conf import settings
from django.db import connections


def use_database(alias: str, url: str) -> None:
    """Django's database of that name is the one at `url` from now on."""
    if not settings.configured:
        settings.configure(USE_TZ=True)
        django.setup()
    others = {"default": {}, **connections.settings}
    connections.settings = connections.configure_settings({**others, alias: database(url)})


def database(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.removeprefix("/"),
        "USER": parts.username,
        "HOST": query["host"][0],
        "PORT": query["port"][0],
    }
