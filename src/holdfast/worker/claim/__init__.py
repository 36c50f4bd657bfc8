"""What a worker claims, and when: free slots, and reasons to ask for jobs."""
