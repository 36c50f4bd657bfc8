"""A set of options that commands share is written once."""

from typing import Annotated

import typer
from typer.testing import CliRunner

from holdfast.cli.frame.option_groups import takes


def size_of(wide: Annotated[int, typer.Option(help="How wide.")] = 1, tall: int = 2) -> tuple[int, int]:
    return wide, tall


@takes(size=size_of)
def box_of(size: tuple[int, int], deep: int = 3) -> tuple[int, int, int]:
    return (*size, deep)


def run(*words: str) -> str:
    app = typer.Typer()

    @app.command()
    @takes(box=box_of)
    def show(name: str, box: tuple[int, int, int], loud: bool = False) -> None:
        """Says what it was given."""
        typer.echo(f"{name} {box} {loud}")

    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.output


def test_a_command_gets_what_the_maker_makes_of_the_options() -> None:
    assert run("crate", "--wide", "5", "--deep", "7", "--loud") == "crate (5, 2, 7) True\n"


def test_what_is_left_out_is_as_the_maker_says() -> None:
    assert run("crate") == "crate (1, 2, 3) False\n"


def test_the_help_is_that_of_the_command_and_of_the_options() -> None:
    shown = run("--help")
    assert "Says what it was given." in shown
    assert "How wide." in shown
    assert "--box" not in shown
