-- The queue that is replaced: a table whose rows a worker of your own answers.
create table chat_messages (
  id         bigint generated always as identity primary key,
  username   text not null,
  text       text not null,
  priority   integer not null default 5, -- 1 is the highest, 10 the lowest
  status     text not null default 'pending',
  claimed_by text
);
create table chat_replies (message bigint not null, worker text not null);
