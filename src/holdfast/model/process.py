"""The process that a handler in process mode gets: how much memory, and how polite to others."""

from dataclasses import dataclass

from holdfast.model.error import InvalidOption
from holdfast.model.size import Size, parse_size

PROCESS = "process"
LEAST_MEMORY = 64 * 2**20
MOST_NICE = 19
MOST_MEMORY = 2**60


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """`memory` in bytes, None for no limit; `nice` as the operating system counts it."""

    memory: int | None = None
    nice: int = 0


def process_limits(mode: str | None, memory: Size | None, nice: int | None) -> ProcessLimits | None:
    """What `@app.task(mode=…, memory=…, nice=…)` means; None without process mode."""
    if mode is None:
        _refuse_without_mode(memory, nice)
        return None
    if mode != PROCESS:
        raise InvalidOption(
            f"There is no mode {mode!r}.",
            'write mode="process", or leave it out: plain functions run in threads, async ones in the loop',
        )
    return ProcessLimits(None if memory is None else _memory(memory), 0 if nice is None else _nice(nice))


def _refuse_without_mode(memory: Size | None, nice: int | None) -> None:
    for name, value in (("memory", memory), ("nice", nice)):
        if value is not None:
            raise InvalidOption(
                f"{name} can only be set for a handler that has a process of its own.",
                'add mode="process"',
            )


def _memory(value: Size) -> int:
    memory = parse_size(value)
    if not LEAST_MEMORY <= memory <= MOST_MEMORY:
        raise InvalidOption(
            f"A process cannot live with memory={value!r}.",
            "give 64MiB or more: Python and Holdfast need about a third of that themselves",
        )
    return memory


def _nice(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_NICE:
        raise InvalidOption(
            f"nice={value!r} is out of range.", f"give a whole number from 0 (as usual) to {MOST_NICE} (last)"
        )
    return value
