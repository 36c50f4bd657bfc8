-- The PostgREST way: its requests call Holdfast's verbs, POST /rpc/enqueue with named arguments as JSON. PostgREST
-- takes the role of the caller's token; each role gets the verbs of one of Holdfast's roles, and no table.
create role chat_producer nologin;
create role chat_worker nologin;
grant holdfast_producer to chat_producer;
grant holdfast_worker to chat_worker;
-- In the configuration of PostgREST: db-schemas = "holdfast", and the login that it connects with may take both roles:
-- grant chat_producer, chat_worker to authenticator;
