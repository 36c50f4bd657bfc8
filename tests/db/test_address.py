import pytest

from holdfast.db.address import Source, resolve_address
from holdfast.db.connect import connect
from holdfast.model.error import InvalidOption


def test_holdfasts_own_variable_wins_over_the_common_one_and_that_over_pg() -> None:
    environ = {"PGHOST": "c"}
    assert resolve_address(None, environ).source is Source.PG_VARIABLES
    environ["DATABASE_URL"] = "postgresql://b/x"
    assert resolve_address(None, environ).url == "postgresql://b/x"
    environ["HOLDFAST_DATABASE_URL"] = "postgresql://a/x"
    assert resolve_address(None, environ).url == "postgresql://a/x"
    given = resolve_address("postgresql://given/x", environ)
    assert (given.url, given.source) == ("postgresql://given/x", Source.GIVEN)


@pytest.mark.parametrize("name", ["PGHOST", "PGSERVICE", "PGDATABASE"])
def test_pg_variables_are_left_to_the_driver(name: str) -> None:
    assert resolve_address(None, {name: "x"}).url == "postgresql://"


def test_without_any_setting_the_embedded_server_is_used() -> None:
    address = resolve_address(None, {"PGUSER": "me", "DATABASE_URL": ""})
    assert (address.source, address.url) == (Source.EMBEDDED, None)


def test_a_pooler_is_known_by_its_mark_which_is_not_sent_to_the_server() -> None:
    address = resolve_address("postgresql://u:p@h:6432/x?sslmode=require&pgbouncer=true", {})
    assert address.pooled
    assert address.url == "postgresql://u:p@h:6432/x?sslmode=require"
    assert not resolve_address("postgresql://h/x?pgbouncer=false", {}).pooled
    assert resolve_address("postgresql://h/x", {"HOLDFAST_POOLER": "transaction"}).pooled


def test_listening_goes_past_the_pooler_by_the_direct_url() -> None:
    address = resolve_address("postgresql://pooler/x", {"HOLDFAST_DIRECT_URL": "postgresql://direct/x"})
    assert (address.url, address.listen_url) == ("postgresql://pooler/x", "postgresql://direct/x")
    assert resolve_address("postgresql://h/x", {}).listen_url == "postgresql://h/x"


def test_a_url_as_sqlalchemy_writes_it_is_understood() -> None:
    assert resolve_address("postgresql+asyncpg://u@/x?host=/tmp", {}).url == "postgresql://u@/x?host=%2Ftmp"


@pytest.mark.parametrize("url", ["mysql://h/x", "host=h dbname=x", "/var/run/postgresql"])
def test_what_is_no_postgresql_url_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        resolve_address(url, {})
    assert url not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("mark", ["/", "#", "?", "[", "@/", "/@", "#@", "?a="])
@pytest.mark.parametrize("start", ["", "12", "s3cr3t"])
async def test_no_part_of_a_password_with_unescaped_characters_is_shown(start: str, mark: str) -> None:
    url = f"postgresql://app:{start}{mark}s3cr3t@127.0.0.1:1/db"
    with pytest.raises(InvalidOption) as caught:
        await connect(resolve_address(url, {}))
    said = f"{caught.value} {caught.value.hint} {caught.value.__cause__}"
    assert "s3cr3t" not in said
    assert "%2F" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://app:s3%2Fcr%23et%3F@h:5432/db?user=ada@server",
        "postgresql://h1:1,h2:2/db?options=-c%20role%3Da",
        "postgresql://[::1]:5432/db",
        "postgresql:///db?host=/tmp/a@b&user=a@b",
        "postgresql://h?user=ada@server",
    ],
)
def test_an_address_with_escaped_or_no_password_is_taken(url: str) -> None:
    assert (resolve_address(url, {}).url or "").startswith("postgresql://")


def test_an_address_that_is_printed_shows_no_password() -> None:
    address = resolve_address(
        "postgresql://a:s3cr3t@h/x", {"HOLDFAST_DIRECT_URL": "postgresql://a:s3cr3t@i/x"}
    )
    assert "s3cr3t" not in repr(address)
