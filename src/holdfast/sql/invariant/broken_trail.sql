-- Violations of: the audit trail has legal transitions only.
create or replace function holdfast.broken_trail(max integer)
returns table (name text, job uuid, detail text)
language sql stable
as $$
  select 'illegal_transition', e.job_id, format('%s: from %s to %s', e.cause, e.from_state, e.to_state)
  from (select t.* from holdfast.events as t order by t.id desc limit max) as e
  where e.job_id is not null
    and e.from_state <> e.to_state
    and not case e.from_state
      when 'waiting' then e.to_state in ('ready', 'scheduled', 'completed', 'cancelled', 'dead')
      when 'scheduled' then e.to_state in ('ready', 'completed', 'cancelled', 'dead')
      when 'ready' then e.to_state in ('running', 'waiting', 'completed', 'cancelled', 'dead')
      when 'running' then e.to_state in ('ready', 'scheduled', 'waiting', 'completed', 'rejected', 'cancelled', 'dead')
      else e.to_state in ('waiting', 'scheduled', 'ready')
    end
$$;
