"""Six browser tabs send messages at once; workers that only speak HTTP reply, and one of them is killed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examples.options import Options
    from examples.verdict import Verdict

FAULTS = ("delete-row", "double-reply", "wrong-entity", "lost-on-the-page")


async def main(options: "Options") -> "Verdict":
    from examples.chat_replies.scenario import play

    return await play(options)
