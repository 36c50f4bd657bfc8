"""The checks of `holdfast doctor`, with what to do."""

import re
from datetime import timedelta

from holdfast.client.doctor_checks import Diagnosis, Finding, Level, examine
from holdfast.dashboard.kept import Kept
from holdfast.dashboard.page import Page, Shown, View
from holdfast.dashboard.troubles import is_serious, needs_a_look
from holdfast.model.human_readable import counted

ORDER = (Level.WRONG, Level.NOTE)
COMMAND = re.compile(r"'((?:holdfast|alter) [^']+)'")


class Doctor(Page):
    path = "/doctor"
    template = "doctor.html"

    def __init__(self) -> None:
        self._kept: Kept[None, Diagnosis] = Kept(timedelta(seconds=10))

    async def read(self, view: View) -> Shown:
        found = (await self._kept.get(None, lambda: examine(view.database), view.share)).findings
        open_ones = sorted(
            (one for one in found if one.level is not Level.OK),
            key=lambda one: (not is_serious(one), ORDER.index(one.level)),
        )
        verdict = verdict_of(found)
        values = {
            "findings": open_ones,
            "passed": [one for one in found if one.level is Level.OK],
            "verdict": verdict,
            "level": open_ones[0].level if open_ones else Level.OK,
            "command_of": command_of,
            "is_serious": is_serious,
        }
        return Shown(f"{verdict} · Doctor", values, here="Doctor")


def verdict_of(found: list[Finding]) -> str:
    """2 checks failed, 1 risk of data loss, 1 check needs a look, 17 pass"""
    wrong, passed = (sum(one.level is level for one in found) for level in (Level.WRONG, Level.OK))
    risks = sum(is_serious(one) for one in found) - wrong
    look = needs_a_look(found, "" if wrong and not risks else "check")
    if not wrong and not risks and not look:
        return f"All {counted(passed, 'check')} pass"
    words = [
        f"{counted(wrong, 'check')} failed" if wrong else "",
        f"{counted(risks, 'risk')} of data loss" if risks else "",
        look,
        f"{passed} {'passes' if passed == 1 else 'pass'}" if passed else "",
    ]
    return ", ".join(filter(None, words))


def command_of(fix: str) -> str | None:
    """The command that it consists of, or the first one that it quotes."""
    if fix.startswith("holdfast ") and ", or " not in fix:
        return fix
    quoted = COMMAND.search(fix)
    return quoted[1] if quoted else None
