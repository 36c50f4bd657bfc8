"""`holdfast version`."""

import platform

from holdfast.cli.frame.common_options import Json
from holdfast.cli.frame.output import write
from holdfast.model.own_version import own_version


def print_version(
    as_json: Json = False,
) -> None:
    if as_json:
        from holdfast.cli.frame.render import print_json

        print_json({"holdfast": own_version(), "python": platform.python_version()})
    else:
        write(f"holdfast {own_version()}")
