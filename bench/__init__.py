"""Benchmarks: Holdfast and its peers on the same server in the same run. Only ratios within a run count."""
