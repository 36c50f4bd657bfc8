"""What a key does: a new view, and what to do with the database, if anything."""

from dataclasses import replace

from holdfast.cli.top.view import View, Wish

ESCAPE = "\x1b"
UP, DOWN = f"{ESCAPE}[A", f"{ESCAPE}[B"
ENTER = ("\r", "\n")
STEPS = {UP: -1, "k": -1, DOWN: 1, "j": 1}

Answer = tuple[View, Wish | None]


def press(view: View, key: str) -> Answer:
    if view.asks:
        return replace(view, asks=False), Wish.REPLAY if key == "y" else None
    if view.jobs is not None:
        return (view, Wish.QUIT) if key == "q" else (replace(view, jobs=None), None)
    if key == "q":
        return view, Wish.QUIT
    return _in_the_list(replace(view, message=""), key)


def _in_the_list(view: View, key: str) -> Answer:
    queue = view.queue
    if key in STEPS:
        return view.moved(STEPS[key]), None
    if queue is None:
        return view, None
    if key == "p":
        return view, Wish.RESUME if queue.paused else Wish.PAUSE
    if key in ENTER:
        return view, Wish.OPEN
    return replace(view, asks=key == "r"), None


def split_keys(typed: str) -> list[str]:
    """What was typed, key by key; an arrow is three characters."""
    keys: list[str] = []
    while typed:
        size = 3 if typed.startswith(f"{ESCAPE}[") else 1
        keys.append(typed[:size])
        typed = typed[size:]
    return keys
