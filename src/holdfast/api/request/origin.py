"""Whether a page of the server's own origin sent a request, as far as the browser says it."""

from collections.abc import Collection

from starlette.datastructures import Headers

# Of Sec-Fetch-Site, which no script of a page can change.
BY_OWN_PAGE = frozenset({"same-origin"})
BY_NO_OTHER_PAGE = frozenset({"", "none", "same-origin"})  # also by a program, or a person in a new tab


def is_own_origin(headers: Headers, sites: Collection[str], allowed: Collection[str] = ()) -> bool:
    """Whether Origin names the request's own host, under any scheme, or one of the allowed origins.

    Without it, Sec-Fetch-Site must be one of `sites`: browsers send no Origin with a plain GET.
    """
    origin, host = headers.get("origin"), headers.get("host")
    if origin is None:
        return headers.get("sec-fetch-site", "") in sites
    return origin in {f"http://{host}", f"https://{host}", *allowed}


def named_origin(headers: Headers) -> str:
    """What an error quotes: the origin of the page, if the browser sent it."""
    origin = headers.get("origin")
    return "no Origin header" if origin is None else repr(origin[:200])
