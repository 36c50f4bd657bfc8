"""The dashboard: pages rendered by the server, on top of the API's access checks and the client."""
