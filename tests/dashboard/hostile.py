"""Text that tries to break a page, and what must hold of a page that shows it."""

# Markup, quotes, a template, a mark that turns the direction of text, letters from right to left, an emoji,
# and very many characters without a place to break.
HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>{{7*7}}\u202etxt.exe🐙שלום" + "W" * 9_900
NAME = HOSTILE[:150]


def assert_harmless(page: str) -> None:
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "onerror=alert(1)>" not in page
    assert "\u202e" not in page, "the direction of text is not turned"
    assert "49" not in page.split("{{7*7}}", maxsplit=1)[0][-20:], "no template in a value is evaluated"
