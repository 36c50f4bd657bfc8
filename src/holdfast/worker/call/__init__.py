"""The three ways to call a handler: in the event loop, in a thread, in a child process."""
