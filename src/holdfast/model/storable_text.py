"""Text that PostgreSQL can always store, so that every error message can be recorded."""

ERROR_TEXT_BYTES = 8 * 1024
_CUT = "… (cut)"


def storable(text: str, limit: int = ERROR_TEXT_BYTES) -> str:
    """`text` without NUL characters and lone surrogates, cut after `limit` bytes."""
    data = _clean(text)
    if len(data) <= limit:
        return data.decode()
    return data[:limit].decode(errors="ignore") + _CUT


def storable_tail(text: str, limit: int = ERROR_TEXT_BYTES) -> str:
    """The same, but keeps the end: the last lines of a traceback are the most useful."""
    data = _clean(text)
    if len(data) <= limit:
        return data.decode()
    return _CUT + data[-limit:].decode(errors="ignore")


def _clean(text: str) -> bytes:
    return text.replace("\x00", "\ufffd").encode(errors="replace")
