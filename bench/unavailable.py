"""What a benchmark needs and this machine does not have."""


class Unavailable(RuntimeError):
    """The message says what is missing and what to do."""


def last_line(output: str) -> str:
    """What a failed program said last: most often its reason."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"
