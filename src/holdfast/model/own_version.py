"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

# Another project has the name holdfast on package indexes.
DISTRIBUTION = "holdfast-queue"


def own_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown (not installed)"
