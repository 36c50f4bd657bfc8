"""Where jobs come from: the app, its tasks, and handles on what they enqueued."""
