from holdfast.model.state import ENDS, LIVE, TRANSITIONS, State


def test_every_state_has_its_transitions() -> None:
    assert set(TRANSITIONS) == set(State)
    assert set(State) == LIVE | ENDS


def test_only_a_running_job_is_rejected() -> None:
    assert [state for state, reached in TRANSITIONS.items() if State.REJECTED in reached] == [State.RUNNING]


def test_any_live_job_is_completed_by_an_operator_if_not_by_a_worker() -> None:
    assert {state for state, reached in TRANSITIONS.items() if State.COMPLETED in reached} == LIVE


def test_a_job_runs_only_after_it_was_ready() -> None:
    assert [state for state, reached in TRANSITIONS.items() if State.RUNNING in reached] == [State.READY]


def test_no_end_leads_to_another_end() -> None:
    for end in ENDS:
        assert end.is_end
        assert not TRANSITIONS[end] & ENDS


def test_every_live_state_can_be_left_for_an_end() -> None:
    for state in LIVE:
        assert not state.is_end
        assert State.CANCELLED in TRANSITIONS[state]
