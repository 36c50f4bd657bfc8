"""The error of what needs the extra `server` where that is not installed."""

from holdfast.model.error import NotConfigured

PACKAGES = ("fastapi", "starlette", "uvicorn")


def server_extra_missing(what: str, exc: ModuleNotFoundError) -> NotConfigured:
    """Raises `exc` itself if another package is missing."""
    package = (exc.name or "").partition(".")[0]
    if package not in PACKAGES:
        raise exc
    return NotConfigured(
        f"{what} needs the package {package}, which is not installed.",
        'install it: pip install "holdfast-queue[server]"',
    )
