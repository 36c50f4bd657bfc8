"""Arms a worker's failpoints from HOLDFAST_FAILPOINTS, such as "after_claim=kill@7,before_settle=stop".

The number is the visit at which it happens, 1 if not given. Only test processes import this.
"""

import os
import signal
from collections import Counter

from holdfast.model.error import DatabaseUnavailable
from holdfast.worker import failpoint

VARIABLE = "HOLDFAST_FAILPOINTS"


def arm() -> None:
    plan = [_parse(part) for part in os.environ.get(VARIABLE, "").split(",") if part]
    visits: Counter[str] = Counter()

    def hook(point: str) -> None:
        visits[point] += 1
        for wanted, action, visit in plan:
            if wanted == point and visits[point] == visit:
                _act(action)

    failpoint.hook = hook


def _parse(part: str) -> tuple[str, str, int]:
    point, _, rest = part.partition("=")
    action, _, visit = rest.partition("@")
    return point, action, int(visit or 1)


def _act(action: str) -> None:
    match action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise DatabaseUnavailable("A failpoint broke the connection.")
        case _:
            raise ValueError(f"there is no action {action}")
