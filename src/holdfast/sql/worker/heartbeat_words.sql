-- Ends a sentence with a worker's last heartbeat, and when its job of this queue is rescued if no other follows.
create or replace function holdfast.heartbeat_words(worker holdfast.workers, of_queue text, at timestamptz)
returns text
language sql stable
as $$
  select format('; last heartbeat %s ago; ', holdfast.span_words(date_trunc('second', at - worker.renewed_at)))
    || case
      when not holdfast.may_rescue(of_queue)
        then case when worker.lease_until >= at then 'if it stays silent, ' else 'its lease has ended; ' end
          || format('no other worker takes the job over, because the flag rescue is off for queue %s', of_queue)
      when worker.lease_until >= at
        then format('if it stays silent, its jobs are taken over in %s',
          holdfast.span_words(date_trunc('second', worker.lease_until - at)))
      else 'its lease has ended, so the next sweep of any worker takes its jobs over'
    end
  where worker.id is not null
$$;
