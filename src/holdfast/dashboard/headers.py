"""The headers of every page, and the theme that its reader chose."""

from starlette.requests import Request

THEME = "holdfast_theme"  # a cookie that the page's script sets
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def theme_of(request: Request) -> str | None:
    return request.cookies.get(THEME)
