"""Writes the functions and views in docs/sql.md: `python -m tests.docs.sql_reference` after a change of one.

They come from the headers and signatures of the SQL files, the grants, and the recorded columns of views.
"""

import re
from dataclasses import dataclass
from functools import cache

from holdfast.db.needed_role import granted_verbs
from holdfast.db.sql_files import SqlFile, load_sql_files
from holdfast.db.sql_header import SqlHeader, read_header
from tests.migration.signatures import recorded
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "sql.md"
BEGIN, END = "<!-- written by python -m tests.docs.sql_reference -->\n", "<!-- end -->\n"
EVERYONE = {"now", "created_at"}
SECTIONS = {
    "Producers": "Also granted to workers and, where listed, to operators and viewers.",
    "Workers": "",
    "Workers and operators": "Declarations, and maintenance, which any worker does for the whole database.",
    "Operators": "Each call leaves an event in the audit trail.",
    "Viewers": "Operators may call these as well.",
    "Everyone": "",
}

_SIGNATURE = re.compile(
    r"^create or replace function (holdfast\.\w+.*?)\nlanguage ", re.MULTILINE | re.DOTALL
)
_RAISED = re.compile(r"(?:refuse\(|errcode = )'(HF\d{3})'")
_CAUGHT = re.compile(r"sqlstate '(HF\d{3})'")
_CALLED = re.compile(r"\bholdfast\.(\w+)\(")


@dataclass(frozen=True, slots=True)
class Public:
    """A function or view that at least one role may use."""

    file: SqlFile
    header: SqlHeader
    roles: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.header.name.removeprefix("holdfast.")


@cache
def page() -> str:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}{reference()}{END}{rest.partition(END)[2]}"


def reference() -> str:
    views = public_views()
    return "".join([*map(_section, SECTIONS), f"\n## Views\n{_index(views)}", *map(_view, views)])


@cache
def public_functions() -> list[Public]:
    found = (_public(file) for file in load_sql_files().functions)
    return sorted((one for one in found if one and one.header.kind == "function"), key=lambda one: one.name)


@cache
def public_views() -> list[Public]:
    headers = ((file, read_header(file.text)) for file in load_sql_files().functions)
    views = [
        Public(file, header, ("viewer",)) for file, header in headers if header and header.kind == "view"
    ]
    return sorted(views, key=lambda one: one.name)


@cache
def errors_of(name: str) -> frozenset[str]:
    """What a call may raise: its own, those of its helpers, and those of verbs that it calls itself.

    A helper's call of another verb is on behalf of other jobs or runs, and its arguments are right.
    """
    texts = {one.name: one.file.text for one in public_functions()}
    called = {verb for verb in _calls(name) if verb in texts and verb != name}
    found = _raised_by(name, frozenset(texts) - {name})
    for verb in called:
        found = found | errors_of(verb)
    return found - set(_CAUGHT.findall(_texts()[name]))


@cache
def _raised_by(name: str, stops: frozenset[str]) -> frozenset[str]:
    found = frozenset(_RAISED.findall(_texts()[name]))
    for helper in _calls(name) - stops - {name}:
        found |= _raised_by(helper, stops | {name})
    return found - set(_CAUGHT.findall(_texts()[name]))


def _calls(name: str) -> set[str]:
    return set(_CALLED.findall(_texts()[name])) & _texts().keys() - {name}


@cache
def _texts() -> dict[str, str]:
    return {
        file.name.rpartition("/")[2].removesuffix(".sql"): file.text for file in load_sql_files().functions
    }


def _public(file: SqlFile) -> Public | None:
    header = read_header(file.text)
    if header is None:
        return None
    name = header.name.removeprefix("holdfast.")
    roles = [role for role, verbs in granted_verbs().items() if name in verbs or name in EVERYONE]
    return Public(file, header, tuple(role.removeprefix("holdfast_") for role in roles)) if roles else None


def _section_of(one: Public) -> str:
    if one.name in EVERYONE:
        return "Everyone"
    if "producer" in one.roles:
        return "Producers"
    if "viewer" in one.roles:
        return "Viewers"
    return " and ".join(f"{role}s" for role in one.roles).capitalize()


def _section(title: str) -> str:
    entries = [one for one in public_functions() if _section_of(one) == title]
    said = f"\n{SECTIONS[title]}\n" if SECTIONS[title] else ""
    return f"\n## {title}\n{said}{_index(entries)}{''.join(map(_function, entries))}"


def _index(entries: list[Public]) -> str:
    return "\n" + " ·\n".join(f"[{one.name}](#{one.name})" for one in entries) + "\n"


def _function(one: Public) -> str:
    signature = _SIGNATURE.search(one.file.text)
    assert signature, one.name
    errors = ", ".join(f"`{code}`" for code in sorted(errors_of(one.name))) or "none of its own"
    roles = ", ".join(one.roles)
    facts = f"Roles: {roles}. Errors: {errors}. {_source(one)}"
    return f"{_head(one)}\n```sql\n{signature[1]}\n```\n{_rest(one)}\n{facts}\n"


def _view(one: Public) -> str:
    columns = [line.partition(".")[2] for line in sorted(recorded()) if line.startswith(f"{one.name}.")]
    names = ", ".join(f"`{name}` {kind}" for name, _, kind in (column.partition(" ") for column in columns))
    return f"{_head(one)}{_rest(one)}\nColumns: {names}. {_source(one)}\n"


def _head(one: Public) -> str:
    return f"\n### {one.name}\n\n{one.header.lines[0]}\n"


def _rest(one: Public) -> str:
    return "".join(["\n", *(f"{line}\n" for line in one.header.lines[1:])]) if one.header.lines[1:] else ""


def _source(one: Public) -> str:
    return f"[Source](../src/holdfast/sql/{one.file.name})"


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
