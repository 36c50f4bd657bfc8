"""`python -m tests.crash.command_on_loop LOOP worker …`: the command `holdfast` on that event loop."""

import sys
from typing import Any

from holdfast.cli.frame.entry import main

if __name__ == "__main__":
    if sys.argv.pop(1) == "asyncio":  # with uvloop hidden the command runs on asyncio's own loop
        modules: dict[str, Any] = sys.modules
        modules["uvloop"] = None
    main()
