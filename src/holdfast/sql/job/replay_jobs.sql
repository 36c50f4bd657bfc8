-- completed | rejected | cancelled | dead -> ready | waiting: the same job starts its next generation.
create or replace function holdfast.replay_jobs(ids uuid[], reason text default null, actor text default null)
returns table (job_id uuid, result text)
language plpgsql volatile security definer
set search_path = holdfast, pg_temp
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  past  holdfast.history;
  asked uuid;
begin
  foreach asked in array array(select distinct i from unnest(ids) as i order by i) loop
    job_id := asked;
    select h.* into past
    from holdfast.history as h
    where h.id = asked
      and h.ended_at >= coalesce(holdfast.created_at(asked) - interval '1 minute', '-infinity')
    -- Waits for another replay of the same job, which then is live.
    for update;
    if found then
      result := holdfast.replay_job(past, reason, actor);
    else
      result := case when exists (select from holdfast.jobs as j where j.id = asked) then 'live' else 'not_found' end;
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.replay_jobs(uuid[], text, text)
  is 'Starts ended jobs again under the same id: each is replayed, live (not ended), in conflict (its unique key is taken), replaced (by another job) or not_found.';
