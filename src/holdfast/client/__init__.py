"""For producers and operators: the app, its tasks, and handles on their jobs."""
