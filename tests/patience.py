"""How long a test waits for what must happen.

A guard and no measure: a test that passes is far from it on a machine that is busy with other things, too.
A limit that a test means to reach is shorter than a second, and stands where it is used.
"""

PATIENCE = 240.0
