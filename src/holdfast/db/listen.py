"""The channels on which the database gives hints. They are never data: whoever listens polls too."""

READY = "holdfast_ready"  # the payload is a queue that has something to do
CANCEL = "holdfast_cancel"  # the payload is a worker that is asked to stop a job
