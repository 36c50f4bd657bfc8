"""Complete systems built on Holdfast, each a package with `async def main(options) -> Verdict`."""
