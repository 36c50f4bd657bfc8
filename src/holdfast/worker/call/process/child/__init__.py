"""The code of a child process: it loads one task and runs its jobs, one after the other."""
