"""`holdfast simulate-model`."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.options import json_or_text
from holdfast.cli.output import flush, say, write
from holdfast.model.error import InvalidOption
from holdfast.testing.model_server.behaviour import Behaviour
from holdfast.testing.model_server.run import run_forever
from holdfast.testing.model_server.server import ModelServer

EXAMPLE = '[["30s", {"outage": "hang"}], ["60s", {"outage": "none"}]]'


def register(app: typer.Typer, name: str, text: str) -> None:
    app.command(name, help=text)(simulate)


def simulate(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="On loopback; 0 takes a free one.")] = 11_500,
    slots: Annotated[int, typer.Option(min=1, help="Calls per replica at full speed.")] = 4,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="May be repeated: --set noise=0.1 --set memory=8."),
    ] = None,
    phases: Annotated[Path | None, typer.Option(help=f"A JSON file such as {EXAMPLE}.")] = None,
    seed: Annotated[int, typer.Option(help="The same seed, the same faults.")] = 0,
    time_scale: Annotated[float, typer.Option(help="10 is ten times faster than real.")] = 1.0,
) -> None:
    """Speaks OpenAI's and Ollama's API until Ctrl-C. GET /ledger shows its calls, POST /phase changes it."""
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
    fates = ", ".join(f"{count} {fate}" for fate, count in server.ledger.fates.items()) or "none"
    say(f"holdfast: calls: {fates}; at most {server.max_in_flight()} at once")


def _settings(pairs: list[str]) -> dict[str, Any]:
    settings = {}
    for pair in pairs:
        name, found, value = pair.partition("=")
        if not found:
            raise InvalidOption(f"--set {pair!r} is not NAME=VALUE.", "write it as --set noise=0.1")
        settings[name] = json_or_text(value)
    return settings


def _phases(path: Path) -> list[tuple[Any, dict[str, Any]]]:
    """Their times and settings are checked by the server."""
    try:
        document = json.loads(path.read_text("utf-8"))
        return [(at, dict(changes)) for at, changes in document]
    except OSError as exc:
        raise InvalidOption(f"{path} cannot be read: {exc.strerror}.", f"give a file with {EXAMPLE}") from exc
    except (ValueError, TypeError) as exc:
        raise InvalidOption(f"{path} is not a list of phases in JSON.", f"write it as {EXAMPLE}") from exc
