#!/bin/sh
# Starts the new worker beside the old one, which goes on: ./start-new-worker.sh 20%
# Ctrl-C or SIGTERM stops it. To switch back: ./switch-back.sh
set -eu
holdfast rollouts set new-worker "${1:-20%}" --reason "start-new-worker.sh"
exec holdfast worker -A examples.roll_out.app:app
