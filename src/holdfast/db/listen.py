"""The channels of the database's notifications. They are only hints: every listener also polls."""

READY = "holdfast_ready"  # the payload is a queue with ready jobs
FLAGS = "holdfast_flags"  # the payload is a flag that was set
CANCEL = "holdfast_cancel"  # the payload is a worker with a cancel request
