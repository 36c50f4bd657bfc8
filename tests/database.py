"""Databases for the tests, by the package's own testing kit."""

from holdfast.testing.database import clone_database as fresh_database
from holdfast.testing.database import make_template, url_of

__all__ = ["fresh_database", "make_template", "url_of"]
