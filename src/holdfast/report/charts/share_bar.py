"""One bar whose length is a share of a whole."""

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
