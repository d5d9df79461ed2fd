-- What a key may send.

alter table sluice.api_key add column bytes_per_second bigint
    check (bytes_per_second > 0);
comment on column sluice.api_key.bytes_per_second is
    'Bytes of request bodies a second on each node; null: as configured.';
