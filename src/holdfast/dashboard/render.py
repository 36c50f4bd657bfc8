"""Templates to HTML. Every value is escaped, and shown on one line without control characters."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from holdfast.dashboard.assets import Assets
from holdfast.dashboard.navigation import groups_for
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.words import FILTERS
from holdfast.model.own_version import own_version
from holdfast.model.printable import printable
from holdfast.report.local_time import ZONE
from holdfast.report.markup import Markup
from holdfast.report.panel import shape, state

THEMES = frozenset({"light", "dark"})


class Renderer:
    """`paths`: of the pages that exist."""

    def __init__(self, assets: Assets, paths: frozenset[str]) -> None:
        self._assets, self._paths = assets, paths
        self._environment = Environment(
            loader=PackageLoader("holdfast.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.do"],
        )
        self._environment.filters.update(FILTERS)
        self._environment.globals.update(shape=shape, state=state, version=own_version(), zone=ZONE)

    def page(
        self, page: Page, view: View, shown: Shown, root: str, theme: str | None, has_session: bool
    ) -> str:
        """The whole document."""
        frame = {
            "groups": list(groups_for(self._paths, view.sees_all, view.is_admin)),
            "section": "/" + page.path.split("/")[1],
            "is_live": page.is_live,
            "here": shown.here or shown.title,
            "crumbs": shown.crumbs,
            "has_session": has_session,
            "theme": _theme(theme),
            "asset": self._assets.path,
            "content": Markup(self.content(page, view, shown, root)),
        }
        return self._template("frame.html").render(self._values(view, shown, root) | frame)

    def content(self, page: Page, view: View, shown: Shown, root: str) -> str:
        """What a live update replaces."""
        return self._template(page.template).render(self._values(view, shown, root))

    def plain(self, template: str, root: str, theme: str | None, **values: Any) -> str:
        """A page without a caller: log-in, errors."""
        frame = {"root": root, "theme": _theme(theme), "asset": self._assets.path}
        return self._template(template).render(frame | values)

    def _values(self, view: View, shown: Shown, root: str) -> dict[str, Any]:
        def url(path: str, query: Mapping[str, Any] | None = None, **more: Any) -> str:
            given = {
                name: value for name, value in {**(query or {}), **more}.items() if value not in (None, "")
            }
            return root + path + (f"?{urlencode(given, doseq=True)}" if given else "")

        return {
            "view": view,
            "now": view.now,
            "title": shown.title,
            "root": root,
            "url": url,
            "part": lambda text: quote(str(text), safe=""),
            **shown.values,
        }

    def _template(self, name: str) -> Template:
        return self._environment.get_template(name)


def _theme(cookie: str | None) -> str | None:
    return cookie if cookie in THEMES else None


def _shown(value: Any) -> Any:
    """What a template writes: nothing for None; a text without characters that steer or hide others."""
    if value is None:
        return ""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
