-- Keys for people: a key may bring the readings of one user or one device only.

alter table sluice.api_key
    add column user_id text check (length(user_id) between 1 and 128),
    add column device_id text check (length(device_id) between 1 and 128);
comment on column sluice.api_key.user_id is
    'The user whose readings it may bring; null: anybody''s.';
comment on column sluice.api_key.device_id is
    'The device whose readings it may bring; null: any device''s.';
