-- A text as one word of a command line that people copy into a shell.
create or replace function holdfast.shell_word(word text)
returns text
language sql immutable parallel safe
as $$
  select case
    when word ~ '^[A-Za-z0-9@%+=:,./_-]+$' then word
    else '''' || replace(word, '''', '''"''"''') || ''''
  end
$$;
comment on function holdfast.shell_word(text) is 'A text as one word of a command line that people copy into a shell.';
