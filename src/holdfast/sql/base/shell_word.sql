-- Quotes a text as one word of a shell command.
create or replace function holdfast.shell_word(word text)
returns text
language sql immutable parallel safe
as $$
  select case
    when word ~ '^[A-Za-z0-9@%+=:,./_-]+$' then word
    else '''' || replace(word, '''', '''"''"''') || ''''
  end
$$;
