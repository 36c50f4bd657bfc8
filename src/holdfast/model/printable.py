"""Text from elsewhere on one line, for logs and terminals."""


def text_of(error: BaseException) -> str:
    """Its message; an exception whose own text raises must not hide the failure that it reports."""
    try:
        return str(error) or repr(error)
    except BaseException as broken:
        return f"(its text raised {type(broken).__name__})"


def printable(text: str) -> str:
    """Control characters and line breaks are escaped, so that they can neither steer nor forge."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _escaped(one) for one in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()
