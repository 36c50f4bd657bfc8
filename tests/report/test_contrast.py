"""The colours can be read in both themes: WCAG AA asks 4.5 of text, and 3 of shapes."""

import re

import pytest

from tests.repo.tree import ROOT

LOOK = ROOT / "src" / "holdfast" / "report" / "look"
COLOUR = re.compile(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\);")
COLOURS = {name: themes for name, *themes in COLOUR.findall((LOOK / "tokens.css").read_text())}
SURFACES = ("bg", "surface", "sunken", "raised", "hover", "active", "accent-bg")
STATES = ("waiting", "scheduled", "ready", "running", "completed", "rejected", "cancelled", "dead")
TEXT = ("ink", "ink-2", "ink-3", "accent", "attention-ink", *STATES)
SHAPES = ("attention", "control")  # control: the edges of inputs
ON_TINT = {
    "neutral-bg": ("ink", "ink-2", "waiting", "ready", "rejected", "cancelled"),
    "scheduled-bg": ("scheduled",),
    "running-bg": ("running", "ink-2"),
    "completed-bg": ("completed", "ink", "ink-2"),
    "attention-bg": ("attention-ink", "ink", "ink-2", "accent"),
    "dead-bg": ("dead", "ink", "ink-2", "accent"),
    "ink": ("on-ink",),
    "accent": ("on-ink",),
    "dead": ("on-ink",),
}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_shapes_stand_out_from_every_surface(theme: int) -> None:
    needed = {**dict.fromkeys(TEXT, 4.5), **dict.fromkeys(SHAPES, 3.0)}
    pairs = {(front, back): least for front, least in needed.items() for back in SURFACES}
    assert too_low(pairs, theme) == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_the_tints_behind_it(theme: int) -> None:
    pairs = {(front, back): 4.5 for back, fronts in ON_TINT.items() for front in fronts}
    assert too_low(pairs, theme) == {}


def test_every_tint_is_checked() -> None:
    tints = {name for name in COLOURS if name.endswith("-bg")}
    assert tints <= {*ON_TINT, *SURFACES}


def test_a_colour_that_is_too_pale_would_be_found() -> None:
    assert ratio("#ffffff", "#000000") == pytest.approx(21)
    assert ratio("#999999", "#ffffff") < 3


def test_no_colour_stands_outside_of_the_tokens() -> None:
    parts = (LOOK / "page.css").read_text() + (LOOK / "sprite.svg").read_text()
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|rgb\(|hsl\(", parts) == []
    named = set(re.findall(r"var\(--([\w-]+)", parts)) - {"c", "knock"}
    assert named <= set(re.findall(r"--([\w-]+):", (LOOK / "tokens.css").read_text()))


def too_low(pairs: dict[tuple[str, str], float], theme: int) -> dict[tuple[str, str], float]:
    """By front and back: the ratio of each pair that has less than it needs."""
    ratios = {pair: ratio(COLOURS[pair[0]][theme], COLOURS[pair[1]][theme]) for pair in pairs}
    return {pair: found for pair, found in ratios.items() if found < pairs[pair]}


def ratio(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
