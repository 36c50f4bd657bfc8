"""How fast each of n calls on a replica is worked on; 1 is a call that has the replica to itself."""

from typing import assert_never

from holdfast.testing.model_server.behaviour import Behaviour, Sharing
from holdfast.testing.model_server.replica import Speed


def speed_of(behaviour: Behaviour) -> Speed:
    def speed(calls: int) -> float:
        return behaviour.speed * _speed_of_each(behaviour, calls)

    return speed


def _speed_of_each(behaviour: Behaviour, calls: int) -> float:
    match behaviour.sharing:
        case Sharing.PROCESSOR:
            beyond = max(0, calls - behaviour.slots)
            return behaviour.slots / max(calls, behaviour.slots) / (1 + behaviour.thrash * beyond)
        case Sharing.BATCH:
            return 1 / (1 + behaviour.batch_cost * (calls - 1))
        case _ as never:
            assert_never(never)
