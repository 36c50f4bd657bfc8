"""No file ties the repository to a package registry or to one developer's machine.

The forbidden words are written in pieces, so that this file passes its own test.
"""

import re

import pytest

from tests.repo.tree import name_of, repository_files

REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pypi", "python", "org"),
        ("pythonhosted", "org"),
        ("anaconda", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("jsr", "io"),
        ("unpkg", "com"),
        ("jsdelivr", "net"),
        ("cdnjs", "cloudflare", "com"),
        ("esm", "sh"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
        ("archive", "ubuntu", "com"),
        ("alpinelinux", "org"),
        ("crates", "io"),
        ("rubygems", "org"),
        ("golang", "org"),
        ("maven", "org"),
        ("maven", "apache", "org"),
        ("nuget", "org"),
        ("packagist", "org"),
        ("hex", "pm"),
        ("docker", "io"),
        ("hub", "docker", "com"),
        ("ghcr", "io"),
        ("quay", "io"),
    )
]
INDEX_OPTIONS = [
    "--" + "index-url",
    "--" + "extra-index-url",
    "--" + "find-links",
    "INDEX" + "_URL",
    "--" + "trusted-host",
]
HOST = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, REGISTRY_HOSTS))})(?![\w-])", re.IGNORECASE)
OPTION = re.compile("|".join(map(re.escape, INDEX_OPTIONS)))
MACHINE_PATH = re.compile(r"(?<![\w./~}*-])/(?:work|root|home|Users)/")


def test_no_file_names_a_package_registry() -> None:
    assert occurrences(HOST) == []


def test_no_file_chooses_a_package_index() -> None:
    assert occurrences(OPTION) == []


def test_no_file_contains_a_path_of_a_developer_machine() -> None:
    assert occurrences(MACHINE_PATH) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (HOST, "see https://" + REGISTRY_HOSTS[0] + "/project/x"),
        (HOST, "https://files." + REGISTRY_HOSTS[2] + "/packages"),
        (OPTION, "pip install " + INDEX_OPTIONS[0] + "=x"),
        (MACHINE_PATH, "'" + "/home" + "/someone/x'"),
        (MACHINE_PATH, "cd " + "/root" + "/x"),
    ],
)
def test_the_patterns_catch_what_they_are_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)


def occurrences(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name_of(path)}:{number}: {line.strip()[:100]}"
        for path in repository_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), start=1)
        if pattern.search(line)
    ]
