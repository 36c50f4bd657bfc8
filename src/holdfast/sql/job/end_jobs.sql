-- any live state -> an end: the one door through which jobs end. With tokens only running jobs that carry them pass.
create or replace function holdfast.end_jobs(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], used double precision[] default null
)
returns uuid[]
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  gone record;
begin
  if to_state <> 'completed' or exists (select from holdfast.queues as q where q.detail = 'full') then
    perform holdfast.record_ends(ids, tokens, to_state, reasons);
  end if;
  select * into gone from holdfast.move_to_history(ids, tokens, to_state, outputs, reasons, used, at);
  if gone.joined is not null then
    perform holdfast.count_ends(gone.joined, to_state);
  end if;
  if gone.keyed is not null then
    perform holdfast.free_keys(gone.keyed, at);
  end if;
  if gone.lined is not null then
    perform holdfast.move_up(gone.lined, at);
  end if;
  if gone.replayed is not null then
    perform holdfast.close_letters(gone.replayed, to_state);
  end if;
  if gone.costs is not null then
    perform holdfast.record_costs(gone.costs);
  end if;
  if gone.staged is not null and to_state = 'completed' then
    perform holdfast.keep_last_outputs(gone.staged, at);
  elsif to_state in ('cancelled', 'dead') then
    perform holdfast.cancel_children(gone.ended);
  end if;
  -- Last, because whoever holds an endpoint's row must not wait for a job's.
  if gone.permits is not null then
    perform holdfast.settle_permits(gone.permits, to_state in ('completed', 'rejected'));
  end if;
  return coalesce(gone.ended, '{}');
end
$$;
comment on function holdfast.end_jobs(uuid[], uuid[], text, json[], text[], double precision[])
  is 'Ends jobs: moves them to history, frees their keys, counts them in their runs. Returns those that ended; with tokens, the others were lost.';
