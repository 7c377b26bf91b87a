-- What the provider may still repeat of inbound messages whose account is erased: the number that they were written to may have
-- another owner by then, to whom they are not told. By the number, since the account and its channels are gone; a hash, since a
-- person's number can be read out of an id.
create table erased_inbound_id (
  mode mode not null,
  phone_number_id text not null,
  provider_message_id_sha256 text not null,
  created_at timestamptz not null,
  primary key (mode, phone_number_id, provider_message_id_sha256)
);
create index erased_inbound_id_created_at on erased_inbound_id (created_at);
