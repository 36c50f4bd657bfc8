"""What an HTTP client of the API needs, with the standard library only: replicas, one after the other."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from itertools import cycle
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

REPLICAS, SECRET = "CHAOS_REPLICAS", "CHAOS_SECRET"
TIMEOUT = 3.0  # seconds, beyond what the call waits by itself


class Unanswered(Exception):
    """No answer, or none that says what became of the call: it may have been done or not."""


class Refused(Exception):
    """The API says no."""

    def __init__(self, status: int, problem: Any) -> None:
        super().__init__(f"{status}: {problem}")
        self.status = status


@dataclass(frozen=True, slots=True)
class Replicas:
    """Where the API is, and the secret of an access key."""

    urls: Sequence[str]
    secret: str

    @property
    def environment(self) -> dict[str, str]:
        return {REPLICAS: " ".join(self.urls), SECRET: self.secret}

    @classmethod
    def named(cls) -> "Replicas":
        """By the environment."""
        return cls(os.environ[REPLICAS].split(), os.environ[SECRET])


class HttpApi:
    """Calls one replica until it does not answer, then the next one."""

    def __init__(self, replicas: Replicas) -> None:
        self._others = cycle(replicas.urls)
        self._url = next(self._others)
        self._secret = replicas.secret

    def post(
        self, path: str, document: Any, headers: Mapping[str, str] | None = None, wait: float = 0.0
    ) -> Any:
        """`wait`: how many seconds the server may take by itself."""
        fields = {"Authorization": f"Bearer {self._secret}", **(headers or {})}
        request = Request(f"{self._url}/api/v1{path}", json.dumps(document).encode(), fields)
        try:
            with urlopen(request, timeout=TIMEOUT + wait) as answer:
                return json.load(answer)
        except HTTPError as exc:
            with exc:
                problem = exc.read().decode(errors="replace")
            if exc.code >= 500 or exc.code == 429:
                self._move_on()
                raise Unanswered(problem) from exc
            raise Refused(exc.code, problem) from exc
        except (OSError, HTTPException, ValueError) as exc:
            self._move_on()
            raise Unanswered(str(exc)) from exc

    def _move_on(self) -> None:
        self._url = next(self._others)
