"""The channels of the database's notifications. They are only hints: every listener also polls."""

READY = "holdfast_ready"  # the payload is a queue with ready jobs
CANCEL = "holdfast_cancel"  # the payload is a worker with a cancel request
