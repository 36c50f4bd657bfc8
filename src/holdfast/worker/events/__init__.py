"""What a worker logs about its jobs and their endpoints, and the hooks that listen to it."""
