"""`holdfast version`."""

import platform
from importlib.metadata import PackageNotFoundError, version

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.output import write

# Another project has the name holdfast on package indexes.
DISTRIBUTION = "holdfast-queue"


def print_version(
    as_json: Json = False,
) -> None:
    if as_json:
        from holdfast.cli.frame.render import print_json

        print_json({"holdfast": own_version(), "python": platform.python_version()})
    else:
        write(f"holdfast {own_version()}")


def own_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown (not installed)"
