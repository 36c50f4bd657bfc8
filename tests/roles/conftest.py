from tests.migration.conftest import migrated

__all__ = ["migrated"]
