"""The limits of a process in process mode: memory and niceness."""

from dataclasses import dataclass

from holdfast.model.byte_size import Size, parse_size
from holdfast.model.error import InvalidOption

PROCESS = "process"
LEAST_MEMORY = 64 * 2**20
MOST_NICE = 19
MOST_MEMORY = 2**60


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """`memory` in bytes, None for no limit; `nice` as in the operating system."""

    memory: int | None = None
    nice: int = 0


def process_limits(mode: str | None, memory: Size | None, nice: int | None) -> ProcessLimits | None:
    """From the options of `@app.task(mode=…, memory=…, nice=…)`; None without process mode."""
    if mode is None:
        _refuse_without_mode(memory, nice)
        return None
    if mode != PROCESS:
        raise InvalidOption(
            f'mode must be "process" (got {mode!r}).',
            'write mode="process", or leave out mode: plain functions run in threads, async functions on the'
            " event loop",
        )
    return ProcessLimits(None if memory is None else _memory(memory), 0 if nice is None else _nice(nice))


def _refuse_without_mode(memory: Size | None, nice: int | None) -> None:
    for name, value in (("memory", memory), ("nice", nice)):
        if value is not None:
            raise InvalidOption(
                f"{name} can be set only in process mode.",
                'add mode="process"',
            )


def _memory(value: Size) -> int:
    memory = parse_size(value)
    if not LEAST_MEMORY <= memory <= MOST_MEMORY:
        raise InvalidOption(
            f"memory must be between 64 MiB and 1 EiB (got {value!r}).",
            "write 64MiB or more; Python and Holdfast themselves need about 20 MiB",
        )
    return memory


def _nice(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_NICE:
        raise InvalidOption(
            f"nice must be an integer between 0 and {MOST_NICE} (got {value!r}).",
            f"write 0 (normal) to {MOST_NICE} (lowest priority)",
        )
    return value
