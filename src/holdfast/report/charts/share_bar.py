"""One bar whose parts are shares of a whole."""

from collections.abc import Sequence

from holdfast.report.markup import Markup, element


def share_bar(part: float, colour: str) -> Markup:
    """`part` is between 0 and 1. The figure stands beside it as text."""
    return element(
        "svg",
        element("rect", class_="back", width="100%", height="8", rx="4"),
        element(
            "rect", class_=f"solid c-{colour}", width=f"{100 * min(max(part, 0), 1):.1f}%", height="8", rx="4"
        ),
        class_="share-bar",
        height="8",
        aria_hidden="true",
    )


def shares_bar(parts: Sequence[tuple[float, str]]) -> Markup:
    """Shares with their colours, side by side; what is missing to the whole is empty. All of them are drawn,
    also those without a length, so that a live page changes them in place.
    """
    drawn, x = [], 0.0
    for part, colour in parts:
        width = min(max(100 * part, 0.0), 100.0 - x)
        drawn.append(
            element("rect", class_=f"solid c-{colour}", x=f"{x:.2f}%", width=f"{width:.2f}%", height="8")
        )
        x += width
    back = element("rect", class_="back", width="100%", height="8")
    return element("svg", back, *drawn, class_="share-bar parts", height="8", aria_hidden="true")
