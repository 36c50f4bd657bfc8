"""`holdfast jobs cancel` and `holdfast jobs replay`: jobs by id, or all that match a filter."""

from typing import Annotated

import typer

from holdfast.cli.frame.bulk_action import Manner, act_on_jobs, manner_of
from holdfast.cli.frame.common_options import Json, Reason, actor
from holdfast.cli.frame.option_groups import takes
from holdfast.cli.jobs.job_filter_options import (
    EndStateFilter,
    Filters,
    Ids,
    LiveStateFilter,
    filters_of,
    select,
)
from holdfast.db import jobs
from holdfast.model.state import LIVE, State

Stage = Annotated[
    str | None,
    typer.Option(
        help="For jobs of a pipeline: restart at this stage. By default, at the stage where the job ended."
    ),
]


@takes(filters=filters_of, manner=manner_of)
def cancel_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    ids: Ids = None,
    state: LiveStateFilter = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Cancel jobs that have not ended.

    Running handlers are asked to stop. If a handler does not stop within the queue's cancel_grace, the job is
    cancelled anyway, and the database refuses later writes of the handler.
    """
    states = LIVE if state is None else {State(state)}
    act_on_jobs(
        context,
        "cancel",
        select(ids, filters, states),
        lambda database, batch: jobs.cancel_jobs(database, batch, reason, actor()),
        manner,
        as_json,
    )


@takes(filters=filters_of, manner=manner_of)
def replay_jobs(
    context: typer.Context,
    filters: Filters,
    manner: Manner,
    ids: Ids = None,
    state: EndStateFilter = None,
    stage: Stage = None,
    reason: Reason = None,
    as_json: Json = False,
) -> None:
    """Run ended jobs again under the same id.

    If you give filters instead of ids, only dead jobs run again, unless --state names another state.
    """
    states = {State(state or State.DEAD)}
    act_on_jobs(
        context,
        "replay",
        select(ids, filters, states),
        lambda database, batch: jobs.replay_jobs(database, batch, reason, actor(), stage),
        manner,
        as_json,
    )
