"""One call of the chat API, as a handler would make it; its errors say what Holdfast is to do."""

import json
from dataclasses import dataclass
from datetime import timedelta
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from holdfast.model.signal import Permanent, RateLimited, Retry

LIMIT = timedelta(seconds=10)

# The model server is on this machine, whatever proxy the environment names.
_opener = build_opener(ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    tokens: int


def ask(url: str, question: str, key: str) -> Reply:
    body = json.dumps({"model": "demo", "messages": [{"role": "user", "content": question}]}).encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": key}
    try:
        with _opener.open(Request(url, body, headers), timeout=LIMIT.total_seconds()) as response:
            document = json.load(response)
    except HTTPError as exc:
        raise _signal(exc) from exc
    except (URLError, TimeoutError, ConnectionError) as exc:
        raise Retry(f"the model server cannot be reached: {exc}") from exc
    return Reply(document["choices"][0]["message"]["content"], document["usage"]["total_tokens"])


def _signal(exc: HTTPError) -> Exception:
    if exc.code == 429:
        return RateLimited("the model server is busy", float(exc.headers.get("Retry-After", 1)))
    if exc.code >= 500:
        return Retry(f"the model server failed with {exc.code}")
    return Permanent(f"the model server refused the question with {exc.code}")
