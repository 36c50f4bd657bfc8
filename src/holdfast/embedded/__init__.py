"""A PostgreSQL server of our own, for machines that have none.

`EmbeddedServer(path).start()` gives a DSN; processes that name the same directory share one server,
and the last one out stops it. POSIX only.
"""

from holdfast.embedded.errors import EmbeddedError
from holdfast.embedded.place import default_data_dir
from holdfast.embedded.server import EmbeddedServer

__all__ = ["EmbeddedError", "EmbeddedServer", "default_data_dir"]
