"""`holdfast simulate-model`."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.frame.common_options import read_pair
from holdfast.cli.frame.output import flush, say, write
from holdfast.client.filters import json_or_text
from holdfast.model.error import InvalidOption
from holdfast.testing.model_server.behaviour import Behaviour
from holdfast.testing.model_server.server import ModelServer, run_forever

EXAMPLE = '[["30s", {"outage": "hang"}], ["60s", {"outage": "none"}]]'
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting of the server. With noise=0.1, one call in ten fails. With memory=8, there is "
        "memory for 8 concurrent calls, and any further call fails. You can repeat this option.",
    ),
]
Phases = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Change settings at the times that this JSON file gives (see the example).",
    ),
]


def simulate(
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Listen on this port of 127.0.0.1. 0 means any free port.")
    ] = 11_500,
    slots: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many concurrent calls the server answers at full speed. More calls make all of them "
            "slower.",
        ),
    ] = 4,
    settings: Settings = None,
    phases: Phases = None,
    seed: Annotated[int, typer.Option(help="Two servers with the same seed fail at the same calls.")] = 0,
    time_scale: Annotated[
        float, typer.Option(help="How fast time passes: 10 is ten times faster than real time.")
    ] = 1.0,
) -> None:
    """The server answers like the APIs of OpenAI and Ollama. Ctrl-C stops it.

    GET /ledger lists the calls that the server received. POST /phase changes the server's settings.

    Example of a file for --phases, with an outage from second 30 to second 60:

    [["30s", {"outage": "hang"}], ["60s", {"outage": "none"}]]
    """
    behaviour = Behaviour(slots=slots).changed(_settings(settings or []))
    script = [] if phases is None else _phases(phases)

    def make() -> ModelServer:
        return ModelServer(port=port, seed=seed, time_scale=time_scale, phases=script, behaviour=behaviour)

    _conclude(run_forever(make, _announce))


def _announce(url: str) -> None:
    write(url)
    flush()
    say(f"holdfast: chat completions at {url}/v1, Ollama's API at {url}; Ctrl-C ends it")


def _conclude(server: ModelServer) -> None:
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in server.ledger.outcomes.items()) or "none"
    say(f"holdfast: calls: {outcomes}; at most {server.max_in_flight()} at once")


def _settings(pairs: list[str]) -> dict[str, Any]:
    hint = "write it as --set noise=0.1"
    read = [read_pair(pair, f"--set must be NAME=VALUE (got {pair!r}).", hint) for pair in pairs]
    return {name: json_or_text(value) for name, value in read}


def _phases(path: Path) -> list[tuple[Any, dict[str, Any]]]:
    """Their times and settings are checked by the server."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return [(at, dict(changes)) for at, changes in document]
    except OSError as exc:
        raise InvalidOption(
            f"The file {path} cannot be read: {exc.strerror}.",
            f"give the name of a JSON file with a content such as {EXAMPLE}",
        ) from exc
    except (ValueError, TypeError) as exc:
        raise InvalidOption(
            f"The file {path} must contain a JSON list of phases.", f"write it as {EXAMPLE}"
        ) from exc
