"""A worker that knows nothing but HTTP: pending, claim, answer, complete. The standard library is enough.

python worker.py NAME, with the address of `holdfast serve --message-routes` in API and an access key in KEY.
"""

import json
import os
import random
import sys
import time
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

API, KEY, THINKS = os.environ["API"], os.environ["KEY"], float(os.environ["THINKS"])
NAME = sys.argv[1]
IDLE = 0.2
direct = build_opener(ProxyHandler({}))  # the server is on this machine, whatever proxy is named


def fetch(path: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = Request(f"{API}/api/queue/{path}", data, {"Authorization": f"Bearer {KEY}"})
    with direct.open(request, timeout=60) as answer:
        return json.load(answer)


def generate(message: dict[str, Any]) -> dict[str, str]:
    """Stands for the model: takes its time, and speaks as the entity of this message."""
    time.sleep(THINKS)
    return {"entity": message["botParams"]["entity"], "text": f"About {message['text']!r}: yes."}


def turn() -> bool:
    """One message, if there is one. Any of the first ten, so that six workers seldom race for the same."""
    pending = fetch("pending?limit=10")
    if not pending:
        return False
    claimed = fetch("claim", {"messageId": random.choice(pending)["id"], "workerId": NAME})
    if claimed["success"]:
        message = claimed["message"]
        output = generate(message)
        # The reply and the end of the job are one step: no reply without its end, no end without its reply.
        fetch("complete", {"messageId": message["id"], "workerId": NAME, "output": output})
    return True


if __name__ == "__main__":
    while True:
        if not turn():
            time.sleep(IDLE)
