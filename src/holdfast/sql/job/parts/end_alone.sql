-- any live state -> an end: ends jobs, without a look at their children. Returns those that ended.
create or replace function holdfast.end_alone(
  ids uuid[], tokens uuid[], to_state text, outputs json[], reasons text[], used double precision[] default null
)
returns uuid[]
language plpgsql volatile
as $$
declare
  at   constant timestamptz := holdfast.now();
  gone record;
begin
  select * into gone from holdfast.move_to_history(ids, tokens, to_state, outputs, reasons, used, at);
  if gone.joined is not null then
    perform holdfast.count_ends(gone.joined, to_state, gone.run_units, gone.run_costs);
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
  end if;
  if gone.permits is not null then
    -- Lock order: jobs before endpoints, so permits are settled last. Without tokens the caller has locked both.
    if tokens is not null then
      perform holdfast.lock_endpoints(array(select p.lane from unnest(gone.permits) as p));
    end if;
    perform holdfast.settle_permits(gone.permits, to_state in ('completed', 'rejected'));
  end if;
  return coalesce(gone.ended, '{}');
end
$$;
