-- How many channels are suspended is asked at every scrape. They are few among all channels.
create index channel_suspended on channel (mode) where status = 'suspended';
