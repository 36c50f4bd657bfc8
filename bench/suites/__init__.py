"""The suites, by name."""

from bench.suites.drain import drain

SUITES = {"drain": drain}
