"""Django: the connection of `django.db`, a different one in every thread."""

import re
from typing import Any

from django.db import Error

from holdfast.client.drivers.driver_errors import translated


class Django:
    blocks = True

    def __init__(self, conn: Any) -> None:
        self._conn = conn

    async def fetch(self, query: str, /, *args: Any) -> list[Any]:
        with translated(Error), self._conn.cursor() as cursor:
            cursor.execute(_pyformat(query), {f"p{i}": value for i, value in enumerate(args, 1)})
            rows: list[Any] = cursor.fetchall()
            return rows


def _pyformat(query: str) -> str:
    return re.sub(r"\$(\d+)", r"%(p\1)s", query.replace("%", "%%"))
