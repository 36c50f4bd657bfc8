"""Writes the signatures in docs/python.md: `python -m tests.docs.signatures` after a change of a public name.

They are read from the source, where annotations stand as people wrote them.
"""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import holdfast
import holdfast.testing
from tests.repo.tree import ROOT

PAGE = ROOT / "docs" / "python.md"
BEGIN, END = "<!-- written by python -m tests.docs.signatures -->\n", "<!-- end -->\n"
ALIASES = {
    "holdfast.model.duration": "Duration",
    "holdfast.model.byte_size": "Size",
    "holdfast.client.enqueue_options": "RetryRule",
    "holdfast.model.classify": "Rules",
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def page() -> str:
    before, _, rest = PAGE.read_text().partition(BEGIN)
    return f"{before}{BEGIN}{signatures()}{END}{rest.partition(END)[2]}"


def signatures() -> str:
    parts = []
    for package in (holdfast, holdfast.testing):
        public = [getattr(package, name) for name in package.__all__]
        shown = [*public, *(found for one in public for found in _settings_of(one))]
        text = "\n\n".join(dict.fromkeys(_stub(one) for one in shown)) + _aliases(package)
        parts.append(f"### `{package.__name__}`\n\n```python\n{_formatted(text)}```\n")
    return "\n" + "\n".join(parts) + "\n"


def _aliases(package: ModuleType) -> str:
    """What people may pass where the names of these types stand."""
    if package is not holdfast:
        return ""
    return "".join(
        f"\n\n{ast.unparse(one)}"
        for module, name in ALIASES.items()
        for one in ast.parse(inspect.getsource(import_module(module))).body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name
    )


def _stub(public: Any) -> str:
    node = _node(public)
    if not isinstance(node, ast.ClassDef):
        return "\n".join(_function(node))
    members: dict[str, list[str]] = {}
    for one in _own_classes(public):
        for name, said in _members(one):
            members.setdefault(name, said)
    lines = [line for said in members.values() for line in said]
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    return "\n".join([f"class {node.name}{bases}:", *(f"    {line}" for line in lines or ["..."])])


def _own_classes(public: type) -> Iterator[type]:
    """The class, and bases of ours that are not public names themselves."""
    yield public
    for base in public.__mro__[1:]:
        if base.__module__.startswith("holdfast.") and base.__name__ not in holdfast.__all__:
            yield base


def _members(of: type) -> Iterator[tuple[str, list[str]]]:
    """Each with its name, by which a class hides what its base has; an overload has none of its own."""
    node = _node(of)
    assert isinstance(node, ast.ClassDef)
    overloaded = {one.name for one in node.body if isinstance(one, Function) and _is(one, "overload")}
    for place, one in enumerate(node.body):
        if isinstance(one, ast.AnnAssign | ast.Assign):
            for said in _field(one, issubclass(of, Enum)):
                yield said.partition(":")[0], [said]
        elif isinstance(one, Function) and (one.name == "__init__" or not one.name.startswith("_")):
            if one.name not in overloaded and not _is(one, "setter"):
                yield one.name, [*_function(one)]
            elif _is(one, "overload"):
                yield f"{one.name} {place}", [*_function(one)]


def _field(node: ast.AnnAssign | ast.Assign, is_enum: bool) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign):
        name = ast.unparse(node.target)
        if not name.startswith("_") and "ClassVar" not in ast.unparse(node.annotation):
            default = f" = {ast.unparse(node.value)}" if isinstance(node.value, ast.Constant) else ""
            yield f"{name}: {ast.unparse(node.annotation)}{default}"
    elif is_enum:
        yield ast.unparse(node)


def _function(node: ast.AST) -> Iterator[str]:
    assert isinstance(node, Function)
    said = (ast.get_docstring(node) or "").partition("\n")[0]
    if said:
        yield f"# {said}"
    if _is(node, "property"):
        yield f"{node.name}: {ast.unparse(node.returns) if node.returns else 'Any'}"
        return
    if _is(node, "asynccontextmanager"):
        yield "@asynccontextmanager"
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    yield f"{kind} {node.name}({ast.unparse(node.args)}){returns}: ..."


def _is(node: Function, decorator: str) -> bool:
    return any(ast.unparse(one).endswith(decorator) for one in node.decorator_list)


def _settings_of(public: Any) -> Iterator[Any]:
    """What `**settings: Unpack[Settings]` takes."""
    module = sys.modules[public.__module__]
    for name in re.findall(r"Unpack\[(\w+)\]", _stub(public)):
        yield getattr(module, name)


def _node(public: Any) -> ast.AST:
    module = sys.modules[public.__module__]
    return _definitions(module)[public.__name__]


@cache
def _definitions(module: ModuleType) -> dict[str, ast.AST]:
    body = ast.parse(inspect.getsource(module)).body
    return {one.name: one for one in body if isinstance(one, ast.ClassDef | Function)}


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=116"]
    done = subprocess.run(
        [*command, "--stdin-filename=names.pyi", "-"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def main() -> None:
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
