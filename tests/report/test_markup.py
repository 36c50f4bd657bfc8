"""Text becomes markup only by the functions that make it."""

from holdfast.report.markup import Markup, element, joined, safe


def test_text_is_escaped_and_markup_is_not() -> None:
    assert element("p", "<b>&\"'", element("b", "x")) == "<p>&lt;b&gt;&amp;&quot;&#x27;<b>x</b></p>"
    assert joined("<", Markup("<hr>"), 5, None) == "&lt;<hr>5"


def test_an_attribute_cannot_be_left() -> None:
    made = element("a", title='" onclick="alert(1)', data_label="x", class_="c", hidden=True, id=None)
    assert made == '<a title="&quot; onclick=&quot;alert(1)" data-label="x" class="c" hidden></a>'


def test_control_characters_are_shown_and_steer_nothing() -> None:
    assert safe("a\nb\x1b\u202e\x00") == "a\\nb\\x1b\\u202e\\x00"


def test_template_engines_know_it_as_safe() -> None:
    assert element("b", "x").__html__() == "<b>x</b>"
