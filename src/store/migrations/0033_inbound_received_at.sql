-- When we were told of a message from a person. Its id tells when the notification was applied, which may be days later; and the
-- id cannot tell the other time instead: its content would expire, and its week be gone, as if it had been there since then.
alter table message add column received_at timestamptz;
