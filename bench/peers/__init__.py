"""The systems that are compared, one script each. Peers are installed into an environment of their own."""
