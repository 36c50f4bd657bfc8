"""The HTTP API: an ASGI app on top of the client. Needs the extra `server`."""
