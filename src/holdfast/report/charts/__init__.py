"""Charts as SVG: pure functions from figures to markup, for reports and other pages."""
