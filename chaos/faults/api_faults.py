"""Faults of the API's replicas and of the workers that speak HTTP."""

import random

from chaos.cluster import Cluster
from chaos.fault_definition import Fault, Place


async def kill_replica(cluster: Cluster, rng: random.Random) -> bool:
    """kill -9 of a `holdfast serve`, with requests and long polls under way."""
    return cluster.api is not None and cluster.api.kill_server(rng)


async def kill_http_worker(cluster: Cluster, rng: random.Random) -> bool:
    """kill -9: what it claimed runs again when its lease is over."""
    return cluster.api is not None and cluster.api.kill_worker(rng)


FAULTS = (
    Fault("kill-replica", Place.API, kill_replica, weight=2),
    Fault("kill-http-worker", Place.API, kill_http_worker),
)
