-- Reads an amount of money from an option: a number, or a text such as "5 USD"; null for none.
create or replace function holdfast.read_money(value jsonb)
returns double precision
language plpgsql immutable
as $$
declare
  amount constant text := (regexp_match(btrim(value #>> '{}'),
    $re$^[€$£]?\s*(\d{1,15}(?:\.\d{1,9})?)\s*(?:[A-Za-z]{3}|[€$£])?\Z$re$))[1];
begin
  if value is null or jsonb_typeof(value) = 'null' then
    return null;
  end if;
  if amount is null then
    perform holdfast.refuse('HF002',
      format('An amount of money must be a number, with or without a currency (got %s).', left(value::text, 200)),
      'Pass a number, such as 5, or a number and a currency, such as "5 USD". The currency must be that of the'
        ' endpoints'' prices.');
  end if;
  return amount;
end
$$;
