#!/bin/sh
# A worker in shell: curl and jq, nothing else. API: the address of `holdfast serve`, KEY: an access key with the role
# worker, QUEUE: the queue, HANDLER: a command that reads payloads, one a line, and writes an output for each.
set -eu

post() {
    curl --silent --show-error --fail-with-body --retry 60 --retry-delay 1 --retry-connrefused --noproxy '*' \
        --header "Authorization: Bearer $KEY" --header 'Content-Type: application/json' \
        --data-binary @- "$API/api/v1$1"
}

# The ends of claimed jobs, as JSON. A handler that fails fails all of them, with what it wrote to stderr.
run() {
    if jq --compact-output '.jobs[].payload' "$work/claimed" | sh -c "$HANDLER" >"$work/outputs" 2>"$work/errors"; then
        jq --compact-output --slurpfile outputs "$work/outputs" '[.jobs, $outputs] | transpose
            | map({id: .[0].id, token: .[0].token, verb: "complete", output: .[1]})' "$work/claimed"
    else
        jq --compact-output --rawfile said "$work/errors" \
            '.jobs | map({id, token, verb: "fail", error: "the handler failed: \($said)"})' "$work/claimed"
    fi
}

leave() {
    trap - TERM INT
    kill "$renewing" 2>/dev/null || true
    echo '{}' | post "/workers/$worker/stop" >/dev/null
    rm -rf "$work"
    exit 0
}

work=$(mktemp -d) me=$$ lease=${LEASE:-60}
worker=$(jq --null-input --argjson lease "$lease" '{queues: [$ENV.QUEUE], slots: 10, lease: $lease}' | post /workers |
    jq --raw-output .worker)
(while sleep $((lease / 3)) && kill -0 "$me" 2>/dev/null; do
    echo '{}' | post "/workers/$worker/renew" >/dev/null || kill "$me"
done) &
renewing=$!
trap leave TERM INT

ends='[]'
while :; do
    # One request ends the jobs of the last turn and claims the next ones; it waits up to 5 s for some.
    printf '%s' "$ends" | jq '{limit: 10, wait: 5, ends: .}' | post "/workers/$worker/claim" >"$work/claimed"
    ends=$(run)
    if grep -q '"drain": *true' "$work/claimed"; then
        [ "$ends" = '[]' ] || printf '%s' "$ends" | jq '{limit: 0, ends: .}' | post "/workers/$worker/claim" >/dev/null
        leave
    fi
done
