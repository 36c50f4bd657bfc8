"""What a change of settings changed: a table of the values before and after."""

from collections.abc import Sequence

from holdfast.cli.frame.output import tell
from holdfast.cli.frame.render import Columns, print_json, print_list
from holdfast.model.audit import SettingChange
from holdfast.model.json_document import json_text

CHANGES: Columns[SettingChange] = {
    "setting": lambda one: one.setting,
    "before": lambda one: _value(one.before),
    "after": lambda one: _value(one.after),
}


def print_changes(as_json: bool, name: str, changes: Sequence[SettingChange]) -> None:
    if as_json:
        print_json({"name": name, "changes": changes})
    elif changes:
        tell(f"set: {name}")
        print_list(False, "changes", changes, CHANGES, keep=("setting",))
    else:
        tell(f"unchanged: {name}")


def _value(value: object) -> str:
    return "-" if value is None else value if isinstance(value, str) else json_text(value)
