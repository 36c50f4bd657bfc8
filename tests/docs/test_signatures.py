"""docs/python.md shows the signatures that the code has."""

import holdfast
import holdfast.testing
from tests.docs.signatures import PAGE, page, signatures


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "run python -m tests.docs.signatures"


def test_every_public_name_has_its_signature() -> None:
    text = signatures()
    names = [*holdfast.__all__, *holdfast.testing.__all__]
    assert [name for name in names if f"class {name}" not in text and f"def {name}(" not in text] == []
