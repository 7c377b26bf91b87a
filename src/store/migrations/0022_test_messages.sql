-- The messages of test keys in their order. An account that sends for real has few of them among very many, and a list by a test key
-- read all the others. No live message has an entry, and a message never changes its mode. It is built in about a second for
-- each million of test messages, during which no message is written.
create index message_test on message (account_id, mode, id) where mode = 'test';
