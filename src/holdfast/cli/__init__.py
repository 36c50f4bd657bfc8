"""The command line: stdout is data, stderr is for people, the exit code says how it went.

0 done · 1 the asked thing failed · 2 wrong usage · 3 no database · 4 schema behind or ahead · 5 not found
6 conflict · 7 timeout · 130 interrupted · 141 the reader of stdout went away
"""

from holdfast.cli.frame.entry import main

__all__ = ["main"]
