"""An embedded PostgreSQL server, for machines that have none.

`EmbeddedServer(path).start()` returns a DSN; processes that name the same directory share one server,
and the last one to exit stops it. POSIX only.
"""

from holdfast.embedded.embedded_error import EmbeddedError
from holdfast.embedded.server import EmbeddedServer
from holdfast.embedded.server_paths import default_data_dir

__all__ = ["EmbeddedError", "EmbeddedServer", "default_data_dir"]
