"""--data-dir, passed on to the embedded server and to workers that this process starts."""

import os
from pathlib import Path


def use_data_dir(directory: Path) -> None:
    os.environ["HOLDFAST_DATA_DIR"] = str(directory.expanduser().absolute())
