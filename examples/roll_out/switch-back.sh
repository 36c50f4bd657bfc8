#!/bin/sh
# Back to the old worker: new messages at once, and those that the new worker, which must be stopped, has not done.
set -eu
holdfast rollouts set new-worker off --reason "switch-back.sh"
holdfast db --set ON_ERROR_STOP=1 --quiet --file "$(dirname "$0")/switch_back.sql"
