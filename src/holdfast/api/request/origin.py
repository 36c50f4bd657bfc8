"""Whether a page of the server's own origin sent a request, as far as the browser says it."""

from collections.abc import Collection

from starlette.datastructures import Headers

# Of Sec-Fetch-Site, which no script of a page can change.
BY_OWN_PAGE = frozenset({"same-origin"})
BY_NO_OTHER_PAGE = frozenset({"", "none", "same-origin"})  # also by a program, or a person in a new tab


def is_own_origin(headers: Headers, sites: Collection[str], allowed: Collection[str] = ()) -> bool:
    """Whether Origin names one of the allowed origins, or the request's own host under any scheme, and then
    Sec-Fetch-Site, if the browser sends it, does not say otherwise.

    Without Origin, Sec-Fetch-Site must be one of `sites`: browsers send no Origin with a plain GET.
    """
    origin, host, site = headers.get("origin"), headers.get("host"), headers.get("sec-fetch-site")
    if origin is None:
        return (site or "") in sites
    is_own = origin in {f"http://{host}", f"https://{host}"} and (site is None or site in BY_OWN_PAGE)
    return is_own or origin in allowed


def named_origin(headers: Headers) -> str:
    """What an error quotes: the origin of the page, if the browser sent it."""
    origin = headers.get("origin")
    return "no Origin header" if origin is None else repr(origin[:200])
