"""What happened in a period: the report, as a page."""

from collections.abc import Callable
from datetime import timedelta
from urllib.parse import quote

from holdfast.client.report.read_report import read_report
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.model.report import Problem, Report
from holdfast.report.markup import Markup
from holdfast.report.page import notes, sections
from holdfast.report.panel import Links
from holdfast.report.sections.summary import headline

PERIODS = (("1h", "1 h"), ("24h", "24 h"), ("7d", "7 d"), ("30d", "30 d"))


JUMPS = (
    ("throughput", "Throughput"),
    ("queues", "Queues"),
    ("endpoints", "Endpoints"),
    ("errors", "Errors"),
    ("tasks", "Tasks and cost"),
    ("slowest", "Slowest jobs"),
    ("workers", "Workers"),
)
HERE = "Problems are those of the period; the overview counts those of now, with the checks of the doctor."
# Where the dashboard shows the problem of a section; the others are shown in the report itself.
PAGES = {"throughput": "/dead", "errors": "/errors", "queues": "/queues/{}", "endpoints": "/endpoints/{}"}


class Reports(Page):
    path = "/reports"
    template = "reports.html"
    is_live = False

    def __init__(self) -> None:
        self._kept: Kept[str, Report] = Kept(timedelta(seconds=15))

    async def read(self, view: View) -> Shown:
        since = view.get("since") if view.get("since") in dict(PERIODS) else "24h"
        report = await self._kept.get(since, lambda: read_report(view.database, since), view.share)
        values = {
            "periods": PERIODS,
            "since": since,
            "generated_at": report.generated_at,
            "sections": lambda url: _sections(report, url),
            "jumps": JUMPS,
            "notes": [*notes(report), HERE],
        }
        return Shown(f"{headline(report)} · Report", values, here="Reports")


def _sections(report: Report, url: Callable[[str], str]) -> Markup:
    def problem(one: Problem) -> str:
        path = PAGES.get(one.section, "")
        if not path or ("{" in path and not one.subject):
            return f"#{one.section}"
        return url(path.format(quote(one.subject, safe="")))

    return sections(report, Links(problem, lambda job: url(f"/jobs/{job}")))
