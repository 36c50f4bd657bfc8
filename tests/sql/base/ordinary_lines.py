"""Ordinary lines of logs and errors, from a seed: what must be read as it was written."""

import base64
import random
import string
from collections.abc import Callable, Iterator
from uuid import UUID

Draw = random.Random
Line = Callable[[Draw], str]

WORDS = [
    "request",
    "response",
    "worker",
    "timeout",
    "connection",
    "queue",
    "payload",
    "record",
    "column",
    "index",
    "cursor",
    "batch",
    "upload",
    "invoice",
    "customer",
    "order",
    "stage",
    "pipeline",
    "document",
    "chunk",
    "retry",
    "shard",
    "replica",
    "cache",
    "session",
    "user",
    "account",
    "report",
    "export",
    "import",
    "channel",
]
HOSTS = ["db-1.internal", "api.example.com", "cache.eu-west-1.example", "10.0.3.17", "localhost"]
MODULES = [
    "app.billing",
    "shop.orders",
    "etl.load",
    "requests.sessions",
    "asyncpg.connection",
    "json.decoder",
]


def word(draw: Draw) -> str:
    return draw.choice(WORDS)


def number(draw: Draw) -> int:
    return draw.randrange(1, 10 ** draw.randint(1, 7))


def uuid(draw: Draw) -> str:
    return str(UUID(int=draw.getrandbits(128), version=4))


def hexes(draw: Draw) -> str:
    return f"{draw.getrandbits(256):064x}"[: draw.choice([7, 12, 32, 40, 64])]


def base64ish(draw: Draw) -> str:
    return base64.urlsafe_b64encode(draw.randbytes(draw.choice([9, 12, 16, 24, 33]))).decode()


def path(draw: Draw) -> str:
    return (
        "/"
        + "/".join(word(draw) for _ in range(draw.randint(1, 5)))
        + draw.choice(["", ".py", ".json", ".log"])
    )


def stamp(draw: Draw) -> str:
    return (
        f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}T{draw.randint(0, 23):02}:"
        f"{draw.randint(0, 59):02}:{draw.randint(0, 59):02}.{draw.randint(0, 999):03}Z"
    )


def label(draw: Draw) -> str:
    return "".join(draw.choices(string.ascii_letters + string.digits + "_-", k=draw.randint(4, 24)))


USUAL: list[Line] = [
    lambda d: (
        f'{d.choice(HOSTS)} - - [{stamp(d)}] "GET {path(d)}?page={number(d)}'
        f' HTTP/1.1" {d.choice([200, 404, 500])} {number(d)}'
    ),
    lambda d: f"POST https://{d.choice(HOSTS)}{path(d)} {d.choice([200, 201, 429, 503])} in {number(d)} ms",
    lambda d: (
        f"https://{d.choice(HOSTS)}:{d.randint(1024, 65535)}{path(d)}?q={word(d)}&sort={word(d)}#{word(d)}"
    ),
    lambda d: f"{stamp(d)} INFO {d.choice(MODULES)}: {word(d)} {word(d)} {uuid(d)} done in {number(d)} ms",
    lambda d: (
        f"{stamp(d)} ERROR [{word(d)}-{d.randint(1, 9)}] could not"
        f" {word(d)} {word(d)}: {word(d)} {number(d)} refused"
    ),
    lambda d: f'  File "{path(d)}", line {number(d)}, in {word(d)}_{word(d)}',
    lambda d: f"    {word(d)} = self.{word(d)}.{word(d)}({word(d)}={word(d)}, limit={number(d)})",
    lambda d: f'    raise {word(d).title()}Error(f"{word(d)} {{{word(d)}!r}} is no {word(d)}")',
    lambda d: f"    at com.example.{word(d)}.{word(d).title()}.run({word(d).title()}.java:{number(d)})",
    lambda d: f"ConnectionRefusedError: [Errno 111] Connect call failed ('{d.choice(HOSTS)}', {number(d)})",
    lambda d: f"ValueError: invalid literal for int() with base 10: '{label(d)}'",
    lambda d: f"KeyError: '{word(d)}'",
    lambda d: f"TypeError: {word(d)}() got an unexpected keyword argument '{word(d)}'",
    lambda d: f"json.decoder.JSONDecodeError: Expecting value: line {number(d)} column {number(d)}",
    lambda d: (
        f"select {word(d)}_id, {word(d)} from {word(d)}s where {word(d)} = {number(d)}"
        f" order by {word(d)} limit {number(d)}"
    ),
    lambda d: (
        f'ERROR: duplicate key value violates unique constraint "{word(d)}s_pkey"'
        f" DETAIL: Key (id)=({uuid(d)}) already exists."
    ),
    lambda d: f'ERROR:  relation "{word(d)}_{word(d)}" does not exist at character {number(d)}',
    lambda d: f'{{"{word(d)}": {number(d)}, "{word(d)}": "{label(d)}", "id": "{uuid(d)}", "ok": true}}',
    lambda d: f'{{"{word(d)}": [{number(d)}, {number(d)}], "{word(d)}": {{"{word(d)}": null}}}}',
    lambda d: f"{{'{word(d)}': '{word(d)}', '{word(d)}_key': '{label(d)}', 'n': {number(d)}}}",
    lambda d: f"sha256:{d.getrandbits(256):064x} {path(d)}",
    lambda d: f"commit {hexes(d)} {word(d)} {word(d)}",
    lambda d: f"etag {base64ish(d)} for {path(d)} ({number(d)} bytes)",
    lambda d: f"cursor={base64ish(d)} next={base64ish(d)}",
    lambda d: f"trace_id={d.getrandbits(128):032x} span_id={d.getrandbits(64):016x} {word(d)}",
    lambda d: f"order_key=customer-{number(d)}, unique_key={label(d)}, partition_key={word(d)}",
    lambda d: f"cache_key={word(d)}:{number(d)} sort_key={word(d)} foreign_key={word(d)}_id",
    lambda d: (
        f"{word(d)}@example.com wrote to {word(d)}@{d.choice(HOSTS[1:3])}"
        f" at {d.randint(1, 23)}:{d.randint(10, 59)}"
    ),
    lambda d: f"git@github.com:{word(d)}/{word(d)}.git at {hexes(d)}",
    lambda d: f"s3://{word(d)}-bucket{path(d)} version {label(d)}",
    lambda d: f"C:\\Users\\{word(d)}\\{word(d)}.txt not found",
    lambda d: (
        f"{word(d)}[{number(d)}]: segfault at {hexes(d)} ip {hexes(d)} sp {hexes(d)} error {d.randint(1, 9)}"
    ),
    lambda d: f'<{word(d)} id="{number(d)}">{word(d)}</{word(d)}>',
    lambda d: (
        f"user={word(d)} db={word(d)} host={d.choice(HOSTS)} port={number(d)} FATAL: too many connections"
    ),
    lambda d: (
        f"OutOfMemoryError: CUDA out of memory. Tried to allocate {number(d)} MiB ({number(d)} MiB free)"
    ),
    lambda d: f"pk_{word(d)}_{word(d)} and sk_{word(d)}_{word(d)} are indexes of {word(d)}",
    lambda d: f"re-{word(d)} {word(d)}, key-{word(d)}, ops-{word(d)}-{number(d)}, fly-{word(d)}",
]

# The words that secrets go by, in sentences that hold none.
TELLING: list[Line] = [
    lambda d: f"token count {number(d)}, of which {number(d)} cached",
    lambda d: f"max_tokens={number(d)}, prompt_tokens={number(d)}, completion_tokens: {number(d)}",
    lambda d: f'"usage": {{"prompt_tokens": {number(d)}, "total_tokens": {number(d)}}}',
    lambda d: f"primary key violation in {word(d)}",
    lambda d: f"key error: '{word(d)}'",
    lambda d: f"password is required for user {word(d)}",
    lambda d: f'FATAL: password authentication failed for user "{word(d)}"',
    lambda d: f"the password of {word(d)} expired {number(d)} days ago",
    lambda d: f"SyntaxError: Unexpected token '<' at position {number(d)}",
    lambda d: f"unexpected token: ')' at line {number(d)}",
    lambda d: f"unexpected token: <EOF> in {word(d)}",
    lambda d: f"invalid token at line {number(d)}: expected {word(d)}",
    lambda d: f"the tokenizer returned {number(d)} tokens in {number(d)} ms",
    lambda d: f"    token = self.{word(d)}.get_token({word(d)})",
    lambda d: f"    client = Client(api_key=settings.API_KEY, timeout={number(d)})",
    lambda d: f"    def login(self, user: str, password: str, {word(d)}: int) -> None:",
    lambda d: f"    connect(host=host, password=password, database={word(d)})",
    lambda d: "    secret = os.environ[\"APP_SECRET\"]",
    lambda d: f"missing required option --token for {word(d)}",
    lambda d: f"use --password or set PGPASSWORD to log in to {d.choice(HOSTS)}",
    lambda d: f"secret {word(d)}-tls not found in namespace {word(d)}",
    lambda d: f"signature of {word(d)}() changed: expected {number(d)} arguments",
    lambda d: f"bearer token missing in request {uuid(d)}",
    lambda d: f"Bearer authentication is required for {path(d)}",
    lambda d: f"basic auth is off for {word(d)}",
    lambda d: f"cookie consent of {word(d)} stored",
    lambda d: f"authorization failed for {word(d)} on {path(d)}",
    lambda d: f"credentials of {word(d)} could not be refreshed: HTTP {d.choice([401, 403])}",
    lambda d: f"session {uuid(d)} closed after {number(d)} s",
    lambda d: f"PWD={path(d)} OLDPWD={path(d)} SHELL=/bin/sh",
    lambda d: f"webhook {path(d)} answered {d.choice([200, 500])} after {number(d)} ms",
    lambda d: f"POST https://{d.choice(HOSTS)}/webhooks/{word(d)} {d.choice([200, 500])}",
    lambda d: f"{number(d)} passed, {number(d)} failed, pass rate {d.randint(1, 99)} %",
    lambda d: f"token: null, password: None, secret: {d.choice(['true', 'false', 'null'])}",
]  # fmt: skip


def ordinary_lines(count: int, seed: int) -> Iterator[str]:
    """A third of them has a telling word in it, which is far more than any log has."""
    draw = random.Random(seed)
    for _ in range(count):
        yield draw.choice(TELLING if draw.random() < 1 / 3 else USUAL)(draw)
