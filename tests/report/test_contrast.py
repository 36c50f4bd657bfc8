"""The colours can be read in both themes: WCAG AA asks 4.5 of text, and 3 of shapes."""

import re

import pytest

from tests.repo.tree import ROOT

LOOK = ROOT / "src" / "holdfast" / "report" / "look"
COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);")
COLOURS = {name: themes for name, *themes in COLOUR.findall((LOOK / "tokens.css").read_text())}
SURFACES = ("bg", "surface", "sunken", "hover")
STATES = ("waiting", "scheduled", "ready", "running", "completed", "rejected", "dead")
TEXT = ("ink", "ink-2", "ink-3", "accent", "attention-ink", *STATES)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_shapes_stand_out_from_every_surface(theme: int) -> None:
    needed = {**dict.fromkeys(TEXT, 4.5), "attention": 3.0}
    low = {
        (front, back): ratio(COLOURS[front][theme], COLOURS[back][theme])
        for front in needed
        for back in SURFACES
        if ratio(COLOURS[front][theme], COLOURS[back][theme]) < needed[front]
    }
    assert low == {}


def test_a_colour_that_is_too_pale_would_be_found() -> None:
    assert ratio("#ffffff", "#000000") == pytest.approx(21)
    assert ratio("#999999", "#ffffff") < 3


def test_no_colour_stands_outside_of_the_tokens() -> None:
    parts = (LOOK / "page.css").read_text() + (LOOK / "sprite.svg").read_text()
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", parts) == []
    named = set(re.findall(r"var\(--([\w-]+)", parts)) - {"c", "knock"}
    assert named <= set(re.findall(r"--([\w-]+):", (LOOK / "tokens.css").read_text()))


def ratio(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
