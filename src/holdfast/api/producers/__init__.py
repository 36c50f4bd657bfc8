"""Routes for producers: jobs and runs."""
