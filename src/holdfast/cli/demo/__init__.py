"""`holdfast demo`: a run of jobs on a flaky model server, with a worker killed on the way, and a verdict."""
