"""Request rates on this replica: per access key, and per address for log-ins that fail."""

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from starlette.requests import Request

from holdfast.api.limits.limits import Limits
from holdfast.api.request.problem import RequestRefused
from holdfast.model.access_key import SecretHash
from holdfast.model.error import AccessDenied, NotAuthenticated, NotFound

MOST_BUCKETS = 10_000  # of either kind, so that an attacker with many addresses cannot fill the memory
KEY_BURST = 2.0  # seconds of a key's rate at once
ADDRESS_BURST = 20.0  # seconds of an address's rate at once: a program with a wrong key may retry


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Buckets:
    """A token bucket per name: `rate` tokens a second, at most `burst` of them; a rate of 0 is unlimited."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, max(rate * burst, 1.0), clock
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def __contains__(self, name: Hashable) -> bool:
        return name in self._buckets

    def take(self, name: Hashable) -> float:
        """Takes a token. Otherwise returns the seconds until there is one."""
        now = self._clock()
        bucket = self._buckets.pop(name, None) or _Bucket(self._burst, now)
        bucket.tokens = min(bucket.tokens + (now - bucket.at) * self._rate, self._burst)
        bucket.at = now
        self._buckets[name] = bucket  # the last one: the first is the least recently used
        if len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if bucket.tokens < 1 and self._rate:
            return (1 - bucket.tokens) / self._rate
        bucket.tokens -= 1
        return 0.0

    def give_back(self, name: Hashable) -> None:
        if name in self._buckets:
            self._buckets[name].tokens += 1


class Rates:
    """A secret that was valid on this replica counts towards its access key, with all its other secrets and
    sessions, and is refused without asking the database. All other secrets of an address share a bucket: each
    costs a statement, and few of them are right.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self._keys = Buckets(limits.rate, KEY_BURST, clock)
        self._known: OrderedDict[SecretHash, Hashable] = OrderedDict()  # the bucket of each secret
        self._addresses = Buckets(limits.failed_log_ins, ADDRESS_BURST, clock)

    @contextmanager
    def counted(self, request: Request, hashed: SecretHash) -> Iterator[None]:
        """Around the check of an access key, once per request. Refuses with 429.

        The block sets `key_name` of the request's state; without it, the secret has a bucket of its own.
        """
        if getattr(request.state, "is_counted", False):
            yield
            return
        request.state.is_counted = True
        address = _address(request)
        is_known = hashed in self._known
        if is_known:
            _refuse_in(
                self._keys.take(self._known[hashed]),
                "rate_limited",
                "This access key sends too many requests.",
            )
        else:
            _refuse_in(
                self._addresses.take(address),
                "too_many_log_ins",
                "Too many log-ins from this address failed.",
            )
        try:
            yield
        except NotAuthenticated:
            self._known.pop(hashed, None)
            raise
        except (AccessDenied, NotFound):
            self._accept(request, hashed, is_known)
            raise
        except BaseException:  # the database did not say whether the secret is right
            if not is_known:
                self._addresses.give_back(address)
            raise
        self._accept(request, hashed, is_known)

    def _accept(self, request: Request, hashed: SecretHash, is_known: bool) -> None:
        bucket = request.state.key_name or self._known.get(hashed, hashed)
        if not is_known:
            self._addresses.give_back(_address(request))
            self._keys.take(bucket)
        self.know(hashed, bucket)

    def know(self, hashed: SecretHash, bucket: Hashable) -> None:
        """A secret that is valid, and the name of its access key."""
        self._known[hashed] = bucket
        self._known.move_to_end(hashed)
        if len(self._known) > MOST_BUCKETS:
            self._known.popitem(last=False)


def _refuse_in(seconds: float, code: str, detail: str) -> None:
    if seconds:
        raise RequestRefused(
            429, code, detail, "wait for the time in Retry-After", retry_after=math.ceil(seconds)
        )


def _address(request: Request) -> str:
    """An IPv6 network of 64 bits is one caller: it has the rest of the address for itself."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address) or address.ipv4_mapped:
        return host
    return str(ipaddress.IPv6Address(int(address) >> 64 << 64))
