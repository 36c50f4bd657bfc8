"""`python -m bench.flow`: the tables of flow control; exit code 1 if a bar is missed."""

import argparse
import sys

from bench.flow.run import CONTROLLERS, SEEDS, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.flow", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="default: 41 to 50")
    parser.add_argument(
        "--controllers",
        nargs="+",
        choices=CONTROLLERS,
        default=[*CONTROLLERS],
        help="flow must be one of them",
    )
    asked = parser.parse_args()
    return 0 if run(asked.seeds, asked.controllers) else 1


if __name__ == "__main__":
    sys.exit(main())
