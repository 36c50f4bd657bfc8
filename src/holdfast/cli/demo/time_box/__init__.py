"""The demo of time boxes: thousands of jobs by workers that live for three seconds each."""
