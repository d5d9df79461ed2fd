-- Sealed days: past days of readings in a tenth of the space, behind the same tables and views.
--
-- A day of a kind is in one of these states. The last one is in sluice.archive, the others are in
-- sluice.sealed_day; a day that is in neither is live.
--
--   live        a partition with a row for each reading
--   sealing     the same, while its readings are copied to packed_<kind>_<day>
--   sealed      a foreign partition over unpacked_<kind>_<day>, a view of packed_<kind>_<day>
--   unsealing   the same, while its readings are copied to unsealed_<kind>_<day>
--   archived    not in the tables at all
--
-- Packed form. A packed row is a chunk: up to sluice.chunk_readings() consecutive readings of a device,
-- and for vital of a code, as arrays in equal order.
--   time     t0 + (t_2 + t_h * 65536 | t_8) * t_us microseconds: an offset in seconds, milliseconds
--            or microseconds, whichever is exact for the whole chunk. t_h is null where t_2 suffices. t1
--            is the last time.
--   number   (base + c_1) / per, or (base + c_2 + c_h * 65536) / per: a whole number, scaled by a power of
--            ten up to 10^9, if this gives the same bits for every value of the chunk. c_1 has the values
--            from 0 to 127, which a dump writes as characters. Otherwise c_8 has the values themselves.
--   bigint   two numbers in millionths, of its upper 33 and lower 30 bits, as gps.motion is made of speed
--            and course. Of a chunk in which that is not all, an array.
--   others   an array of their own type, compressed.
-- The low half of a number or time is mostly noise, and is not compressible. The high halves of
-- neighbours are mostly equal. So they are two arrays: one of integers would take 4 bytes a value, the
-- two take little more than 2.
-- Every array has as many elements as the row has readings; a constraint says so (is_whole). Packed rows
-- are added and deleted, and never changed: a trigger says so (refuse_change). A checksum of the row is
-- made when it is added. It is compared where readings leave the packed form (unsealing, and with it
-- archives), where they are packed again, and by `sluice days verify`; not by queries. A restore of a
-- dump makes it anew, so it may be made by functions that another version of PostgreSQL has otherwise.
-- So a packed row is independent of all others. A new column of a table of readings is packed without
-- a change here, in days that are sealed afterwards: whoever adds one unseals the sealed days first.
-- Before a step of sealing commits, the view is compared with the partition by
-- counts and sums of hashes; a difference ends the step (XX001).
--
-- Loop. PostgreSQL attaches views to a partitioned table only through a foreign table. Its server is
-- this database (postgres_fdw), under a role that may read the views and nothing else. Lanes never use
-- the loop: they read the views and write the packed tables themselves. The foreign tables refuse rows
-- (55000), so a lane that does not know yet that a day is sealed is told, before a connection is made.
--
-- Planning. With use_remote_estimate the planner asks the loop several times for each foreign table,
-- one to three milliseconds a day. Without, it never asks, but a join can't give a foreign table the
-- device to look for: the whole day of all devices would come through the loop. So the views of
-- readings with their devices (device_gps, device_vital, device_event) read the time of sealed days
-- device by device, and the key is a parameter of the remote query: see divide_readings.
--
-- Late readings of a sealed day are added as chunks of one reading; merge_day packs them later. They
-- are stored once: the writer compares them with the view.
--
-- Notes. While a day is sealing or unsealing, what changes in it is noted in sluice_sealed.changed by
-- device, in the transaction of the change, and copied again. It has no key on purpose: a note of a
-- transaction that is still open must not stand for one that is being removed.
--
-- A crash, or an error, leaves a day in its state; the next call continues behind the last device that
-- was copied (copied_to). The exchange of the partitions, the drop of the old form and the new state are
-- one transaction.
--
-- The loop has the snapshot of the first sealed day that a transaction reads, to its end, also in READ
-- COMMITTED. Rows that were packed later would be in no form for such a transaction. So a day is exchanged
-- only when all of its rows have been packed and committed, and no transaction of the loop is open that
-- may be older (refuse_readers).
--
-- All of these functions but the lanes' statements are called by one process at a time, which has the
-- lock of sluice.archive_turn. The lock belongs to another connection, which may be ended in the middle
-- of a step. So each step changes copied_to, and fails if another process has gone on meanwhile. Not for
-- Citus.

create schema sluice_sealed;
comment on schema sluice_sealed is 'The packed form of sealed days, and views that unpack it.';

create table sluice.sealed_day (
    kind text not null check (kind in ('gps', 'vital', 'event')),
    day date not null,
    state text not null check (state in ('sealing', 'sealed', 'unsealing', 'live')),
    readings bigint,
    bytes bigint,
    live_bytes bigint,
    keep_until timestamptz,
    changed_at timestamptz not null default now(),
    copied_to bigint not null default -9223372036854775808,
    primary key (kind, day)
);
comment on table sluice.sealed_day is 'Days that are sealed, or on the way to it or back.';
comment on column sluice.sealed_day.kind is 'The table that it is part of.';
comment on column sluice.sealed_day.day is 'The first day of UTC of its partition.';
comment on column sluice.sealed_day.state is
    'sealing: still a plain partition. sealed: packed. unsealing: still packed. live: a plain '
    'partition again.';
comment on column sluice.sealed_day.readings is 'How many it had when it was sealed.';
comment on column sluice.sealed_day.bytes is 'Size of the packed form then.';
comment on column sluice.sealed_day.live_bytes is 'Size of its rows and index before.';
comment on column sluice.sealed_day.keep_until is
    'Of a day that is live again: until then it is not sealed, however old.';
comment on column sluice.sealed_day.changed_at is 'When it came to its state.';
comment on column sluice.sealed_day.copied_to is
    'While it is sealing or unsealing: the last device that was copied.';

create table sluice_sealed.changed (
    kind text not null,
    day date not null,
    device_key bigint not null
);
create index changed_day on sluice_sealed.changed (kind, day, device_key);
alter table sluice_sealed.changed replica identity full;
comment on table sluice_sealed.changed is
    'Devices with readings that are to be packed again: late ones, and changes beside sealing.';

-- With so many, an array of 2 bytes a reading fills four pieces of TOAST, of 1,996 bytes each, and one
-- of 1 byte fills two, and four pieces a page. With 3,600 a tenth of the pages was empty.
create function sluice.chunk_readings() returns integer
language sql immutable parallel safe
return 3960;
comment on function sluice.chunk_readings is 'How many readings a packed row has, at most.';

-- Names and columns.

create function sluice.sealed_name(prefix text, of_kind text, of_day date) returns text
language sql immutable parallel safe
return 'sluice_sealed.' || prefix || '_' || of_kind || pg_catalog.to_char(of_day, '"_"YYYYMMDD');
comment on function sluice.sealed_name is 'packed_vital_20261101 and the like, with the schema.';

-- Numbers are packed, a code separates chunks, everything else stays as it is.
create function sluice.packed_columns(of_kind text)
returns table (name text, type text, form text, is_required boolean, place smallint)
language sql stable
set search_path = pg_catalog
as $$
    select quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
        case
            when a.attname = 'code' then 'key'
            when a.atttypid = 'double precision'::regtype then 'number'
            when a.atttypid = 'bigint'::regtype then 'pair'
            else 'other'
        end, a.attnotnull, a.attnum
    from pg_attribute a
    where a.attrelid = ('sluice.' || of_kind)::regclass and a.attnum > 0 and not a.attisdropped
        and a.attname not in ('device_key', 't')
    order by a.attnum
$$;
comment on function sluice.packed_columns is 'The columns of readings, and how each is packed.';

create function sluice.packed_numbers(of_kind text)
returns table (mark text, source text, is_required boolean)
language sql stable
set search_path = pg_catalog
as $$
    select 'n' || c.place || p.mark, format(p.source, c.name, c.place), c.is_required and p.mark = ''
    from sluice.packed_columns(of_kind) c
    join (values ('number', '', 'c.%1$s'), ('pair', 'a', 'm%2$s.high'), ('pair', 'b', 'm%2$s.low'))
        p (form, mark, source) on p.form = c.form
    order by c.place, p.mark
$$;
comment on function sluice.packed_numbers is
    'The numbers of a packed row: how their columns begin, and where packing has the values.';

-- Packing.

create function sluice.pack_numbers(
    v double precision[], out base bigint, out per integer, out tiny "char"[],
    out small smallint[], out high smallint[], out exact double precision[]
)
language plpgsql immutable parallel safe
set search_path = pg_catalog
as $$
declare
    head constant double precision[] := v[1:20];
    fits boolean;
    lowest double precision;
    highest double precision;
begin
    -- Below 1e15 whole numbers are exact. Larger ones are not multiplied, which could be an error. Of a
    -- zero only the positive one comes back.
    for digits in 0..9 loop
        per := 10 ^ digits;
        continue when exists (
            select from unnest(head) x
            where x is not null and (case
                when abs(x) < 1e15 then abs(x * per) < 1e15 and round(x * per) / per = x
            end) is not true);
        select coalesce(bool_and(coalesce(abs(y) < 1e15 and round(y) / per = x
                and (x <> 0 or float8send(x) = '\x0000000000000000'), false)), true),
            min(round(y)), max(round(y))
        into fits, lowest, highest
        from (
            select x, case when abs(x) < 1e15 then x * per end as y from unnest(v) x
            where x is not null
        ) r;
        exit when fits;
    end loop;
    if fits and highest - lowest <= 127 then
        base := lowest::bigint;
        tiny := array(select (round(x * per)::bigint - base)::integer::"char" from unnest(v) x);
    elsif fits and highest - lowest <= 65535 then
        base := lowest::bigint + 32768;
        small := array(select (round(x * per)::bigint - base)::smallint from unnest(v) x);
    elsif fits and highest - lowest <= 4294900000 then
        base := lowest::bigint + 2147450000;
        small := array(
            select (((round(x * per)::bigint - base + 32768) & 65535) - 32768)::smallint
            from unnest(v) x);
        high := array(
            select ((round(x * per)::bigint - base + 32768) >> 16)::smallint from unnest(v) x);
    else
        base := null;
        per := null;
        exact := v;
    end if;
end
$$;
comment on function sluice.pack_numbers is 'The packed form of a column''s values in a chunk.';

-- All bits of one of the two set: none.
create function sluice.pack_pairs(
    v bigint[], out high double precision[], out low double precision[], out exact bigint[]
)
language plpgsql immutable parallel safe
set search_path = pg_catalog
as $$
begin
    if (select bool_and(x >= 0 and x < 9223372036854775807) from unnest(v) x) then
        high := array(
            select nullif(x >> 30, 8589934591)::double precision / 1e6::double precision
            from unnest(v) x);
        low := array(
            select nullif(x & 1073741823, 1073741823)::double precision / 1e6::double precision
            from unnest(v) x);
    else
        exact := v;
    end if;
end
$$;
comment on function sluice.pack_pairs is
    'A column of bigint as two numbers; as it is where a value is not a pair, or where all are null.';

create function sluice.pack_times(
    us bigint[], low bigint, span bigint, unit integer, out small smallint[], out high smallint[],
    out exact bigint[]
)
language plpgsql immutable parallel safe
set search_path = pg_catalog
as $$
begin
    if span / unit <= 32767 then
        small := array(select ((x - low) / unit)::smallint from unnest(us) x);
    elsif span / unit <= 2147450000 then
        small := array(
            select ((((x - low) / unit + 32768) & 65535) - 32768)::smallint from unnest(us) x);
        high := array(select (((x - low) / unit + 32768) >> 16)::smallint from unnest(us) x);
    else
        exact := array(select (x - low) / unit from unnest(us) x);
    end if;
end
$$;
comment on function sluice.pack_times is
    'The packed form of a chunk''s times: microseconds of a day, the least, the widest distance from '
    'it, and the unit.';

-- The sum over a set of readings does not depend on their order.
create function sluice.readings_hash(of_kind text) returns text
language plpgsql stable
set search_path = pg_catalog
as $$
declare
    hash text :=
        'timestamp_hash_extended(r.t at time zone ''UTC'', hashint8extended(r.device_key, 0))';
    item record;
begin
    -- A null, and a negative zero, which equals zero, get seeds of their own.
    for item in select * from sluice.packed_columns(of_kind) loop
        if item.form = 'number' then
            hash := format(
                'hashfloat8extended(coalesce(r.%1$s, 0), %2$s # case '
                    'when r.%1$s is null then 1 when r.%1$s = 0 then ascii(r.%1$s::text) '
                    'else 0 end)', item.name, hash);
        else
            hash := format(
                'hashtextextended(coalesce(r.%1$s::text, ''''), %2$s # case '
                    'when r.%1$s is null then 1 else 0 end)', item.name, hash);
        end if;
    end loop;
    return hash;
end
$$;
comment on function sluice.readings_hash is 'A hash of a reading r of the kind, as SQL.';

create function sluice.unpacked_number(mark text) returns text
language sql immutable
set search_path = pg_catalog
return format(
    'coalesce((coalesce(p.%1$s_1::integer, p.%1$s_2 + coalesce(p.%1$s_h * 65536, 0)) + p.%1$s_base)'
    '::double precision / p.%1$s_per, p.%1$s_8)', mark);
comment on function sluice.unpacked_number is 'A number of a packed row p, as SQL.';

create function sluice.unpacking(of_kind text, packed text) returns text
language sql stable
set search_path = pg_catalog
as $$
    select format(
        'select p.device_key, p.t0 + coalesce('
            '(p.t_2 + coalesce(p.t_h * 65536, 0))::bigint, p.t_8) * p.t_us '
            '* interval ''1 microsecond'' as t%s from (select device_key, t0, t_us, '
            'unnest(t_2) as t_2, unnest(t_h) as t_h, unnest(t_8) as t_8%s%s from %s) p',
        string_agg(', ' || case c.form
            when 'number' then format('%s as %s', sluice.unpacked_number('n' || c.place), c.name)
            when 'pair' then format(
                'case when %1$s is null and %2$s is null then p.%3$s '
                    'else (coalesce(round(%1$s * 1e6)::bigint, 8589934591) << 30) '
                    '| coalesce(round(%2$s * 1e6)::bigint, 1073741823) end as %3$s',
                sluice.unpacked_number('n' || c.place || 'a'),
                sluice.unpacked_number('n' || c.place || 'b'), c.name)
            else 'p.' || c.name end, '' order by c.place),
        string_agg(', ' || case c.form
            when 'key' then c.name
            else format('unnest(%1$s) as %1$s', c.name) end, '' order by c.place)
            filter (where c.form <> 'number'),
        (select string_agg(format(
            ', %1$s_base, %1$s_per, unnest(%1$s_1) as %1$s_1, unnest(%1$s_2) as %1$s_2, '
                'unnest(%1$s_h) as %1$s_h, unnest(%1$s_8) as %1$s_8', n.mark), '' order by n.mark)
            from sluice.packed_numbers(of_kind) n),
        packed)
    from sluice.packed_columns(of_kind) c
$$;
comment on function sluice.unpacking is 'A query of the readings of packed rows, as SQL.';

create function sluice.has_hash(type text) returns boolean
language plpgsql stable
set search_path = pg_catalog
as $$
begin
    execute format('select hash_record_extended(row(null::%s), 0)', type);
    return true;
exception when undefined_function then
    return false;
end
$$;
comment on function sluice.has_hash is 'Whether values of a type can be part of a checksum.';

create function sluice.packed_list(of_kind text, of_checksum boolean default false) returns text
language sql stable
set search_path = pg_catalog
as $$
    select concat('device_key',
        string_agg(', ' || c.name, '' order by c.place) filter (where c.form = 'key'),
        ', readings, t0, t1, t_us, t_2, t_h, t_8',
        string_agg(', ' || c.name, '' order by c.place) filter (
            where c.form in ('pair', 'other')
                and (not of_checksum or sluice.has_hash(c.type || '[]'))),
        (select string_agg(format(
            ', %1$s_base, %1$s_per, %1$s_1, %1$s_2, %1$s_h, %1$s_8', n.mark), '' order by n.mark)
            from sluice.packed_numbers(of_kind) n))
    from sluice.packed_columns(of_kind) c
$$;
comment on function sluice.packed_list is
    'The columns of a packed table that are filled, or those that its checksum is of; as SQL.';

-- A chunk ends after a number of readings, and after a megabyte of texts: it is unpacked as a whole.
create function sluice.packing(of_kind text, of_day date, readings text) returns text
language sql stable
set search_path = pg_catalog
as $$
    select format(
        'select c.device_key%1$s, c.readings, '
            '%2$L::timestamptz + c.low * interval ''1 microsecond'', '
            '%2$L::timestamptz + c.high * interval ''1 microsecond'', c.unit, '
            't.small, t.high, t.exact%3$s%8$s '
        'from (select g.*, case when low_of_second = high_of_second then 1000000 '
                'when low_of_millisecond = high_of_millisecond then 1000 else 1 end as unit '
            'from (select device_key%1$s, count(*) as readings, array_agg(us) as us, '
                    'min(us) as low, max(us) as high, '
                    'min(us %% 1000000) as low_of_second, max(us %% 1000000) as high_of_second, '
                    'min(us %% 1000) as low_of_millisecond, max(us %% 1000) as high_of_millisecond'
                    '%4$s '
                'from (select r.*, round(date_part(''epoch'', r.t - %2$L::timestamptz) * 1000000)'
                        '::bigint as us, '
                        '(row_number() over w - 1) / sluice.chunk_readings() as part, '
                        '%5$s as volume '
                    'from (%6$s) r '
                    'window w as (partition by device_key%1$s order by t)) r '
                'group by device_key%1$s, part, volume) g) c '
        'cross join lateral sluice.pack_times(c.us, c.low, c.high - c.low, c.unit) t%7$s',
        string_agg(', ' || c.name, '' order by c.place) filter (where c.form = 'key'),
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        string_agg(', ' || case c.form
            when 'pair' then format('m%s.exact', c.place)
            else format('c.%s', c.name) end, '' order by c.place)
            filter (where c.form in ('pair', 'other')),
        string_agg(format(', array_agg(%1$s) as %1$s', c.name), '' order by c.place)
            filter (where c.form <> 'key'),
        coalesce('sum(' || string_agg(
            format('coalesce(octet_length(%s::text), 0)', c.name), ' + ' order by c.place)
            filter (where c.form = 'other') || ') over w / 1000000', '0'),
        readings,
        coalesce(string_agg(format(
            ' cross join lateral sluice.pack_pairs(c.%1$s) m%2$s', c.name, c.place), ''
            order by c.place) filter (where c.form = 'pair'), '')
        || (select coalesce(string_agg(format(
            ' cross join lateral sluice.pack_numbers(%1$s) %2$s', n.source, n.mark), ''
            order by n.mark), '') from sluice.packed_numbers(of_kind) n),
        (select string_agg(format(
            ', %1$s.base, %1$s.per, %1$s.tiny, %1$s.small, %1$s.high, %1$s.exact', n.mark), ''
            order by n.mark) from sluice.packed_numbers(of_kind) n))
    from sluice.packed_columns(of_kind) c
$$;
comment on function sluice.packing is
    'A query of packed rows, in the order of packed_list, of the readings of a query; as SQL.';

create function sluice.refuse_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    raise exception 'rows of %.% are never changed: unseal the day', tg_table_schema, tg_table_name
        using errcode = 'restrict_violation';
end
$$;
comment on function sluice.refuse_change is 'Refuses to change packed rows (23001).';

-- The checksum is an expression of the table, as it was when the day was sealed.
create function sluice.damaged_row(of_kind text, of_day date, condition text default 'true')
returns text
language plpgsql stable
set search_path = pg_catalog
as $$
declare
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    found_row text;
begin
    execute (
        select format(
            'select format(''device_key %%s from %%s'', device_key, t0 at time zone ''UTC'') '
            'from %s where (%s) and checksum is distinct from %s order by device_key, t0 limit 1',
            packed, condition, pg_get_expr(d.adbin, d.adrelid))
        from pg_attrdef d
        join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where d.adrelid = to_regclass(packed) and a.attname = 'checksum')
    into found_row;
    return found_row;
end
$$;
comment on function sluice.damaged_row is
    'A packed row that is not what was written, by its device and first time; null: there is none.';

create function sluice.refuse_damage(of_kind text, of_day date, condition text) returns void
language plpgsql stable
set search_path = pg_catalog
as $$
declare
    damaged constant text := sluice.damaged_row(of_kind, of_day, condition);
begin
    if damaged is not null then
        raise exception 'the packed row of % in %, %, is damaged', of_kind, of_day, damaged
            using errcode = 'data_corrupted';
    end if;
end
$$;
comment on function sluice.refuse_damage is 'Fails if a packed row is not what was written (XX001).';

create function sluice.make_packed(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    item record;
begin
    -- Of a shorter array the view would show nulls.
    execute (
        select format(
            'create table %s (device_key bigint not null%s, readings integer not null, '
            't0 timestamptz not null, t1 timestamptz not null, t_us integer not null, '
            't_2 smallint[], t_h smallint[], t_8 bigint[]%s%s, '
            'checksum bigint generated always as (hash_record_extended(row(%s), 0)) stored, '
            'constraint is_whole check (coalesce(cardinality(t_2), cardinality(t_8)) '
                'is not distinct from readings and coalesce(cardinality(t_h), readings) = readings%s%s)) '
            'with (autovacuum_freeze_min_age = 0, toast.autovacuum_freeze_min_age = 0)',
            packed,
            string_agg(format(', %s %s not null', c.name, c.type), '' order by c.place)
                filter (where c.form = 'key'),
            string_agg(format(', %s %s[]', c.name, c.type), '' order by c.place)
                filter (where c.form in ('pair', 'other')),
            (select string_agg(format(
                ', %1$s_base bigint, %1$s_per integer, %1$s_1 "char"[], %1$s_2 smallint[], '
                    '%1$s_h smallint[], %1$s_8 double precision[]', n.mark), '' order by n.mark)
                from sluice.packed_numbers(of_kind) n),
            sluice.packed_list(of_kind, of_checksum => true),
            string_agg(format(
                case when c.is_required
                    then ' and cardinality(%s) is not distinct from readings'
                    else ' and coalesce(cardinality(%s), readings) = readings' end, c.name), ''
                order by c.place) filter (where c.form in ('pair', 'other')),
            (select string_agg(format(
                ' and coalesce(cardinality(%1$s_1), cardinality(%1$s_2), cardinality(%1$s_8)%2$s) '
                    'is not distinct from readings and coalesce(cardinality(%1$s_h), readings) = readings',
                n.mark, case when n.is_required then '' else ', readings' end), '' order by n.mark)
                from sluice.packed_numbers(of_kind) n))
        from sluice.packed_columns(of_kind) c);
    execute format(
        'create trigger refuse_change before update on %s '
        'for each statement execute function sluice.refuse_change()', packed);
    execute format('create index on %s (device_key, t0)', packed);
    execute format('alter table %s replica identity full', packed);
    for item in
        select quote_ident(a.attname) as name from pg_attribute a
        where a.attrelid = packed::regclass and a.attnum > 0 and a.attndims > 0
    loop
        -- ANALYZE would unpack them for nothing.
        execute format('alter table %s alter column %s set statistics 0', packed, item.name);
        begin
            execute format(
                'alter table %s alter column %s set compression lz4', packed, item.name);
        exception when feature_not_supported then
            null;
        end;
    end loop;
    execute format(
        'create view %s as %s', sluice.sealed_name('unpacked', of_kind, of_day),
        sluice.unpacking(of_kind, packed));
end
$$;
comment on function sluice.make_packed is 'Makes the packed table of a day, and its view.';

-- The partition of a sealed day.

create function sluice.make_sealed_partition(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    -- As a partition from the start it would have the columns' compression, which pg_dump writes down and
    -- no server takes for a foreign table.
    execute format(
        'create foreign table sluice_partitions.%I (%s) server sluice_loop '
        'options (schema_name ''sluice_sealed'', table_name %L%s)',
        of_kind || to_char(of_day, '"_"YYYYMMDD'),
        (select string_agg(
            format('%I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                case when a.attnotnull then ' not null' else '' end), ', ' order by a.attnum)
            from pg_attribute a
            where a.attrelid = to_regclass('sluice.' || of_kind) and a.attnum > 0
                and not a.attisdropped),
        split_part(sluice.sealed_name('unpacked', of_kind, of_day), '.', 2),
        -- So many rows are in memory at once, and a row may have 24 kB of texts.
        case when exists (select from sluice.packed_columns(of_kind) c where c.form = 'other')
            then ', fetch_size ''500''' else '' end);
    perform sluice.attach_day_table(of_kind, of_day);
end
$$;
comment on function sluice.make_sealed_partition is
    'Makes and attaches the foreign table that shows a sealed day.';

-- The loop.

create function sluice.make_loop() returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    wanted constant text[] := array[
        'host=' || trim(split_part(current_setting('unix_socket_directories'), ',', 1)),
        'port=' || current_setting('port'), 'dbname=' || current_database(),
        'application_name=sluice loop', 'updatable=false', 'use_remote_estimate=false',
        'fetch_size=10000', 'keep_connections=on', 'connect_timeout=5'];
    -- A connection that is kept spares the next query most of its time.
    settings constant text[] := array[
        'default_transaction_read_only=on', 'idle_session_timeout=1min'];
    present text[];
    item text;
    gone record;
begin
    create extension if not exists postgres_fdw with schema sluice_sealed;
    if to_regrole('sluice_loop') is null then
        begin
            create role sluice_loop login;
        exception when duplicate_object or unique_violation then
            null;
        end;
    end if;
    if not (select r.rolcanlogin from pg_roles r where r.rolname = 'sluice_loop') then
        alter role sluice_loop login;
    end if;
    if settings is distinct from (
        select array(select unnest(s.setconfig) order by 1) from pg_db_role_setting s
        where s.setrole = 'sluice_loop'::regrole and s.setdatabase = 0)
    then
        alter role sluice_loop reset all;
        foreach item in array settings loop
            execute format('alter role sluice_loop set %I = %L',
                split_part(item, '=', 1), split_part(item, '=', 2));
        end loop;
    end if;
    grant usage on schema sluice_sealed to sluice_loop;
    -- Where the right is taken from everybody, as roles.sh does. Rights are changed by one session at a
    -- time (see Analysts.rightsLock).
    perform pg_advisory_xact_lock(hashtextextended('sluice.rights', 0));
    if not has_database_privilege('sluice_loop', current_database(), 'connect') then
        execute format('grant connect on database %I to sluice_loop', current_database());
    end if;
    if not exists (select from pg_foreign_server s where s.srvname = 'sluice_loop') then
        create server sluice_loop foreign data wrapper postgres_fdw;
    end if;
    present := (
        select coalesce(s.srvoptions, '{}') from pg_foreign_server s
        where s.srvname = 'sluice_loop');
    foreach item in array wanted loop
        continue when item = any (present);
        execute format(
            'alter server sluice_loop options (%s %I %L)',
            case when exists (
                select from unnest(present) o
                where split_part(o, '=', 1) = split_part(item, '=', 1))
            then 'set' else 'add' end,
            split_part(item, '=', 1), substr(item, strpos(item, '=') + 1));
    end loop;
    if not exists (
        select from pg_user_mappings m
        where m.srvname = 'sluice_loop' and m.usename = current_user)
    then
        create user mapping for current_user server sluice_loop options (user 'sluice_loop');
    end if;
    if to_regclass('sluice_sealed.here') is null then
        create view sluice_sealed.here as
        select d.oid::bigint as database, pg_postmaster_start_time() as started
        from pg_database d where d.datname = current_database();
        grant select on sluice_sealed.here to sluice_loop;
    end if;
    if to_regclass('sluice_sealed.there') is null then
        create foreign table sluice_sealed.there (database bigint, started timestamptz)
            server sluice_loop options (schema_name 'sluice_sealed', table_name 'here');
    end if;
    -- Of a database that was restored into another cluster, the role has no rights.
    for item in
        select c.oid::regclass::text from pg_class c
        where c.relnamespace = 'sluice_sealed'::regnamespace and c.relkind = 'v'
            and not has_table_privilege('sluice_loop', c.oid, 'select')
    loop
        execute format('grant select on %s to sluice_loop', item);
    end loop;
    -- Somebody has dropped the extension, and the foreign tables with it. The packed days are there.
    for gone in
        select s.kind, s.day from sluice.sealed_day s
        where s.state in ('sealed', 'unsealing') and to_regclass(
            'sluice_partitions.' || s.kind || to_char(s.day, '"_"YYYYMMDD')) is null
    loop
        perform sluice.make_sealed_partition(gone.kind, gone.day);
    end loop;
end
$$;
comment on function sluice.make_loop is
    'Makes what foreign partitions need, or corrects it for the server and database of today, and '
    'makes those that are missing. For superusers.';

-- A sealed day whose foreign table is gone must not become a live one: its readings would be stored again.
create or replace function sluice.make_partition(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    if exists (
        select from sluice.sealed_day s
        where s.kind = of_kind and s.day = of_day and s.state in ('sealed', 'unsealing'))
    then
        perform sluice.make_loop();
    else
        perform sluice.make_day_table(of_kind, of_day);
        perform sluice.attach_day_table(of_kind, of_day);
    end if;
end
$$;

create function sluice.has_loop() returns boolean
language plpgsql
set search_path = pg_catalog
as $$
declare
    is_here boolean;
    reason text;
begin
    if to_regclass('sluice_sealed.there') is null then
        raise exception 'the server sluice_loop does not exist' using errcode = 'undefined_object';
    end if;
    execute 'select exists (select from sluice_sealed.here join sluice_sealed.there '
        'using (database, started))' into is_here;
    return is_here;
exception when sqlclient_unable_to_establish_sqlconnection then
    get stacked diagnostics reason = pg_exception_detail;
    raise exception '%', replace(reason, E'\n', ' ') using errcode = '08001';
end
$$;
comment on function sluice.has_loop is
    'Whether the loop leads here. If it leads nowhere, fails with the reason.';

-- From live to sealed.

create function sluice.note_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
    if tg_op <> 'INSERT' then
        insert into sluice_sealed.changed (kind, day, device_key)
        values (tg_argv[0], tg_argv[1]::date, old.device_key);
    end if;
    if tg_op <> 'DELETE' then
        insert into sluice_sealed.changed (kind, day, device_key)
        values (tg_argv[0], tg_argv[1]::date, new.device_key);
    end if;
    return null;
end
$$;
comment on function sluice.note_change is 'Notes the device of a reading that is changed.';

create function sluice.refuse_state(of_kind text, of_day date, wanted text) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    perform from sluice.sealed_day s
    where s.kind = of_kind and s.day = of_day and s.state = wanted
    for update;
    if not found then
        raise exception '% of % is not %', of_kind, of_day, wanted
            using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
comment on function sluice.refuse_state is
    'Fails for a day that is in another state (55000), and keeps it in this one.';

create function sluice.copied_to(of_kind text, of_day date, of_state text) returns bigint
language sql stable
set search_path = pg_catalog
as $$
    select s.copied_to from sluice.sealed_day s
    where s.kind = of_kind and s.day = of_day and s.state = of_state
$$;
comment on function sluice.copied_to is
    'The device behind which a day that is sealing or unsealing continues; null: it is not.';

-- First in its step: of two processes that go on from the same device one waits for the other here, and
-- fails.
create function sluice.begin_step(
    of_kind text, of_day date, of_state text, after bigint, last bigint
) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    update sluice.sealed_day s set copied_to = coalesce(last, 9223372036854775807)
    where s.kind = of_kind and s.day = of_day and s.state = of_state and s.copied_to = after;
    if not found then
        raise exception 'another process has gone on with % of %, which is not % behind % any more',
            of_kind, of_day, of_state, after using errcode = 'object_not_in_prerequisite_state';
    end if;
end
$$;
comment on function sluice.begin_step is
    'Notes what a step copies; fails if it is not the next one (55000).';

-- Waits for those who write to the partition: call it with a lock_timeout.
create function sluice.begin_sealing(of_kind text, of_day date) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    name constant text := of_kind || to_char(of_day, '"_"YYYYMMDD');
    after constant bigint := sluice.copied_to(of_kind, of_day, 'sealing');
begin
    if after is not null then
        return after;
    end if;
    if not exists (
        select from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = ('sluice.' || of_kind)::regclass and not i.inhdetachpending
            and c.oid = to_regclass('sluice_partitions.' || name) and c.relkind = 'r')
    then
        raise exception '% of % is not live', of_kind, of_day
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    perform sluice.refuse_due(of_kind, of_day);
    execute format(
        'create trigger note_change after insert or update or delete on sluice_partitions.%I '
        'for each row execute function sluice.note_change(%L, %L)', name, of_kind, of_day);
    perform sluice.make_packed(of_kind, of_day);
    insert into sluice.sealed_day (kind, day, state) values (of_kind, of_day, 'sealing')
    on conflict (kind, day) do update set
        state = 'sealing', keep_until = null, changed_at = now(), copied_to = default;
    return sluice.copied_to(of_kind, of_day, 'sealing');
end
$$;
comment on function sluice.begin_sealing is
    'Begins to seal a day, or continues; returns the device to continue behind. Refuses a day of '
    'which hours are not summed yet (55000).';

create function sluice.step_end(
    source text, weight text, after bigint, readings_max bigint
) returns bigint
language plpgsql stable
set search_path = pg_catalog
as $$
declare
    last bigint;
begin
    execute format(
        'select r.device_key from ('
            'select device_key, sum(%s) over (order by device_key) as readings from %s '
            'where device_key > $1 group by device_key order by device_key) r '
        'where r.readings >= $2 limit 1', weight, source)
    into last using after, readings_max;
    return last;
end
$$;
comment on function sluice.step_end is
    'The device with which a step has enough readings; null: all that are left are fewer.';

create function sluice.refuse_difference(of_kind text, one text, other text) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    is_equal boolean;
begin
    execute format(
        'select row(a.*) is not distinct from row(b.*) '
        'from (select count(*), sum(%1$s) from (%2$s) r) a, '
            '(select count(*), sum(%1$s) from (%3$s) r) b',
        sluice.readings_hash(of_kind), one, other)
    into is_equal;
    if not is_equal then
        raise exception 'the packed readings of % are not those of the table', of_kind
            using errcode = 'data_corrupted';
    end if;
end
$$;
comment on function sluice.refuse_difference is
    'Fails if two queries give different readings, in whatever order (XX001).';

-- Whole devices, so that the last one tells where to continue. In REPEATABLE READ, so that all
-- statements see the same readings.
create function sluice.seal_devices(
    of_kind text, of_day date, after bigint, readings_max bigint
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    live constant text := format(
        'sluice_partitions.%I', of_kind || to_char(of_day, '"_"YYYYMMDD'));
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    last constant bigint := sluice.step_end(live, 'count(*)', after, readings_max);
    bounds constant text := format(
        'where device_key > %s and device_key <= %s', after, coalesce(last, 9223372036854775807));
begin
    perform sluice.begin_step(of_kind, of_day, 'sealing', after, last);
    execute format(
        'insert into %s (%s) %s', packed, sluice.packed_list(of_kind),
        sluice.packing(of_kind, of_day, format('select * from %s %s', live, bounds)));
    perform sluice.refuse_difference(
        of_kind, format('select * from %s %s', live, bounds),
        format('select * from %s %s', sluice.sealed_name('unpacked', of_kind, of_day), bounds));
    return last;
end
$$;
comment on function sluice.seal_devices is
    'Packs the readings of the next devices; returns the last of them, null when all are packed.';

create function sluice.seal_changed(of_kind text, of_day date) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    live constant text := format(
        'sluice_partitions.%I', of_kind || to_char(of_day, '"_"YYYYMMDD'));
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    keys bigint[];
    condition text;
begin
    perform sluice.refuse_state(of_kind, of_day, 'sealing');
    with gone as (
        delete from sluice_sealed.changed c where c.kind = of_kind and c.day = of_day
        returning c.device_key)
    select array_agg(distinct g.device_key) into keys from gone g;
    if keys is null then
        return 0;
    end if;
    condition := format('where device_key = any (%L::bigint[])', keys);
    execute format('delete from %s %s', packed, condition);
    execute format(
        'insert into %s (%s) %s', packed, sluice.packed_list(of_kind),
        sluice.packing(of_kind, of_day, format('select * from %s %s', live, condition)));
    return cardinality(keys);
end
$$;
comment on function sluice.seal_changed is
    'Packs the devices again that changed since they were packed; returns how many.';

-- Without sealed days plain joins, for which the planner has all ways. With some, days up to the end of
-- the last of them are read device by device; live days among them are, too. Any bound gives the same
-- rows. What looks idle: "union all … where false" keeps the subquery apart, so that the key is a
-- parameter; filters on time and devices reach it nevertheless.
create function sluice.divide_readings(of_kind text, last_sealed date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    columns constant text := case of_kind
        when 'gps' then 'r.t, r.lat, r.lon, r.acc, r.alt, r.vacc, r.motion'
        when 'vital' then 'r.t, r.code, r.val'
        when 'event' then 'r.t, r.label, r.val_text, r.metadata' end;
    bound constant text := quote_literal(
        to_char(last_sealed + sluice.partition_days(), 'YYYY-MM-DD') || ' 00:00:00+00');
    joined constant text := format(
        'select d.device_key, d.device_id, d.user_id, %s from sluice.%I r '
        'join sluice.device d using (device_key)', columns, of_kind);
begin
    if last_sealed is null then
        if not exists (
            select from sluice.sealed_day s
            where s.kind <> of_kind and s.state in ('sealed', 'unsealing'))
        then
            create or replace view analytics.reading as
            select d.device_id, d.user_id, r.time, r.kind
            from (
                select device_key, t as time, 'gps' as kind from sluice.gps
                union all
                select device_key, t, 'vital' from sluice.vital
                union all
                select device_key, t, 'event' from sluice.event
            ) r
            join sluice.device d using (device_key);
        end if;
        execute format('create or replace view sluice.%I as %s', 'device_' || of_kind, joined);
        return;
    end if;
    create or replace view analytics.reading as
    select r.device_id, r.user_id, r.t as time, 'gps' as kind from sluice.device_gps r
    union all
    select r.device_id, r.user_id, r.t, 'vital' from sluice.device_vital r
    union all
    select r.device_id, r.user_id, r.t, 'event' from sluice.device_event r;
    execute format(
        'create or replace view sluice.%1$I as %2$s where r.t >= %3$s '
        'union all '
        'select d.device_key, d.device_id, d.user_id, %4$s from sluice.device d '
        'cross join lateral ('
            'select %4$s from sluice.%5$I r where r.device_key = d.device_key and r.t < %3$s '
            'union all select %6$s where false) r',
        'device_' || of_kind, joined, bound, columns, of_kind,
        regexp_replace(columns, 'r\.\w+', 'null', 'g'));
end
$$;
comment on function sluice.divide_readings is
    'Makes the views of a kind''s readings with their devices, for a last sealed day or for none.';

create function sluice.last_sealed(of_kind text, except_day date) returns date
language sql stable
set search_path = pg_catalog
as $$
    select max(s.day) from sluice.sealed_day s
    where s.kind = of_kind and s.state in ('sealed', 'unsealing') and s.day <> except_day
$$;
comment on function sluice.last_sealed is 'The last sealed day of a kind, but for one.';

-- As if a lock were not free: 55P03. Sessions of other databases have loops of their own.
create function sluice.refuse_readers(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
    if exists (
        select from sluice_sealed.changed c where c.kind = of_kind and c.day = of_day)
    then
        raise exception 'readings of % of % come all the time', of_kind, of_day
            using errcode = 'lock_not_available';
    end if;
    if exists (
        select from pg_stat_activity a
        where a.usename = 'sluice_loop' and a.datname = current_database()
            and a.xact_start is not null)
    then
        raise exception 'a transaction that reads sealed days is open'
            using errcode = 'lock_not_available';
    end if;
end
$$;
comment on function sluice.refuse_readers is
    'Fails if a transaction might find readings of a day in neither form after an exchange.';

-- Locks the table and the view of its readings against everybody: call it with a short lock_timeout,
-- and when seal_changed has nothing left.
create function sluice.end_sealing(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    name constant text := of_kind || to_char(of_day, '"_"YYYYMMDD');
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    unpacked constant text := sluice.sealed_name('unpacked', of_kind, of_day);
    bytes_before constant bigint := pg_total_relation_size(
        to_regclass('sluice_partitions.' || name));
    packed_readings bigint;
begin
    -- The view before the table, as queries do it.
    perform sluice.divide_readings(
        of_kind, greatest(of_day, sluice.last_sealed(of_kind, of_day)));
    execute format('lock table sluice.%I in access exclusive mode', of_kind);
    perform sluice.refuse_state(of_kind, of_day, 'sealing');
    perform sluice.refuse_readers(of_kind, of_day);
    execute format(
        'alter table sluice.%I detach partition sluice_partitions.%I', of_kind, name);
    execute format('drop table sluice_partitions.%I', name);
    execute format('grant select on %s to sluice_loop', unpacked);
    perform sluice.make_sealed_partition(of_kind, of_day);
    execute format('select coalesce(sum(readings), 0) from %s', packed) into packed_readings;
    update sluice.sealed_day s set
        state = 'sealed', readings = packed_readings,
        bytes = pg_total_relation_size(packed::regclass), live_bytes = bytes_before,
        changed_at = now()
    where s.kind = of_kind and s.day = of_day;
end
$$;
comment on function sluice.end_sealing is
    'Puts the packed form in the place of a day''s partition, and drops that.';

-- Late readings. Lanes ask for the statements once for each day, and then run them themselves.

create function sluice.late_columns(of_kind text, columns text[]) returns text
language sql stable
set search_path = pg_catalog
as $$
    select string_agg(coalesce(c.name, quote_ident(trim(u.name, '"'))), ', ' order by u.place)
    from unnest(columns) with ordinality u (name, place)
    left join sluice.packed_columns(of_kind) c on trim(c.name, '"') = trim(u.name, '"')
$$;
comment on function sluice.late_columns is 'Columns of readings, as a list in SQL.';

-- $1 devices, $2 first times, $3 last times.
create function sluice.reading_late(of_kind text, of_day date, columns text[]) returns text
language sql stable
set search_path = pg_catalog
as $$
    select format(
        'select %1$s from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) '
            'span (key, first, last) cross join lateral (select r.* from (%2$s) r '
            'where r.t between span.first and span.last offset 0) r',
        sluice.late_columns(of_kind, columns),
        sluice.unpacking(of_kind, format(
            '(select * from %s p where p.device_key = span.key and p.t0 <= span.last '
                'and p.t1 >= span.first) p', sluice.sealed_name('packed', of_kind, of_day))))
$$;
comment on function sluice.reading_late is
    'A query of stored readings of a sealed day, by devices and spans of time; as SQL.';

-- $1 and so on: the columns, as arrays. Every reading is a chunk; an operator's column that is not
-- named has its default, as in a live day.
create function sluice.storing_late(of_kind text, of_day date, columns text[]) returns text
language sql stable
set search_path = pg_catalog
as $$
    select format(
        'with note as (insert into sluice_sealed.changed (kind, day, device_key) '
            'select distinct %1$L, %2$L::date, k from unnest($1::bigint[]) k) '
        'insert into %3$s (device_key, readings, t0, t1, t_us, t_2%4$s) '
        'select r.device_key, 1, r.t, r.t, 1, ''{0}''::smallint[]%5$s '
        'from unnest(%6$s) r (%7$s)',
        of_kind, of_day, sluice.sealed_name('packed', of_kind, of_day),
        string_agg(', ' || case c.form
            when 'number' then format('n%s_8', c.place) else c.name end, '' order by c.place),
        string_agg(', ' || case c.form
            when 'key' then format('r.%s', c.name) else format('array[r.%s]', c.name) end, ''
            order by c.place),
        (select string_agg('$' || u.place, ', ' order by u.place)
            from unnest(columns) with ordinality u (name, place)),
        sluice.late_columns(of_kind, columns))
    from sluice.packed_columns(of_kind) c
    where trim(c.name, '"') in (select trim(u.name, '"') from unnest(columns) u (name))
$$;
comment on function sluice.storing_late is
    'A statement that adds late readings to a sealed day, and notes their devices; as SQL.';

create function sluice.merge_late(devices_max integer default 100) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
    -- Whoever stores readings of these devices waits until the transaction ends.
    stop constant timestamptz := clock_timestamp() + interval '200 ms';
    late record;
    merged integer := 0;
    packed text;
    damaged text;
begin
    for late in
        select c.kind, c.day, c.device_key from sluice_sealed.changed c
        join sluice.sealed_day s on s.kind = c.kind and s.day = c.day and s.state = 'sealed'
        group by 1, 2, 3 order by c.day, c.kind, c.device_key
    loop
        exit when merged >= devices_max or clock_timestamp() > stop;
        -- Whoever stores readings of the device has its row: then another time.
        perform from sluice.device_state s where s.device_key = late.device_key
        for update skip locked;
        continue when not found and exists (
            select from sluice.device_state s where s.device_key = late.device_key);
        -- Packed again, it would have a checksum of its damage.
        damaged := sluice.damaged_row(
            late.kind, late.day, format('device_key = %s', late.device_key));
        if damaged is not null then
            raise warning 'the packed row of % in %, %, is damaged', late.kind, late.day, damaged
                using errcode = 'data_corrupted';
            continue;
        end if;
        delete from sluice_sealed.changed c
        where c.kind = late.kind and c.day = late.day and c.device_key = late.device_key;
        packed := sluice.sealed_name('packed', late.kind, late.day);
        -- What an erasure removes meanwhile is not in "gone" and does not come back.
        execute format(
            'with gone as (delete from %1$s where device_key = $1 returning *) '
            'insert into %1$s (%2$s) %3$s', packed, sluice.packed_list(late.kind),
            sluice.packing(late.kind, late.day, sluice.unpacking(late.kind, 'gone')))
        using late.device_key;
        merged := merged + 1;
    end loop;
    return merged;
end
$$;
comment on function sluice.merge_late is
    'Packs late readings of sealed days, of a few devices, for some 200 ms; returns how many. 0: what '
    'is left is in use, or damaged.';

-- From sealed to live.

create function sluice.begin_unsealing(of_kind text, of_day date, keep interval default '0')
returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    target constant text := sluice.sealed_name('unsealed', of_kind, of_day);
    after constant bigint := sluice.copied_to(of_kind, of_day, 'unsealing');
begin
    if after is not null then
        update sluice.sealed_day s set keep_until = greatest(s.keep_until, now() + keep)
        where s.kind = of_kind and s.day = of_day;
        return after;
    end if;
    perform sluice.refuse_state(of_kind, of_day, 'sealed');
    execute format(
        'create table %s (like sluice.%I including defaults including constraints '
        'including storage including compression including comments) '
        'with (autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_threshold = 100000, '
            'toast.autovacuum_freeze_min_age = 0)', target, of_kind);
    execute format('alter table %s replica identity full', target);
    -- Spares the scan when it is attached.
    execute format(
        'alter table %s add constraint is_of_the_day '
            'check (t >= %L::timestamptz and t < %L::timestamptz)', target,
        to_char(of_day, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(of_day + sluice.partition_days(), 'YYYY-MM-DD') || ' 00:00:00+00');
    update sluice.sealed_day s set
        state = 'unsealing', changed_at = now(), copied_to = default, keep_until = now() + keep
    where s.kind = of_kind and s.day = of_day;
    return sluice.copied_to(of_kind, of_day, 'unsealing');
end
$$;
comment on function sluice.begin_unsealing is
    'Begins to bring a sealed day back, or continues; returns the device to continue behind. The day is '
    'not sealed again for as long as it is to be kept.';

-- In REPEATABLE READ, as seal_devices.
create function sluice.unseal_devices(
    of_kind text, of_day date, after bigint, readings_max bigint
) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
    target constant text := sluice.sealed_name('unsealed', of_kind, of_day);
    last constant bigint := sluice.step_end(
        sluice.sealed_name('packed', of_kind, of_day), 'sum(readings)', after, readings_max);
    bounds constant text := format(
        'device_key > %s and device_key <= %s', after, coalesce(last, 9223372036854775807));
begin
    perform sluice.begin_step(of_kind, of_day, 'unsealing', after, last);
    perform sluice.refuse_damage(of_kind, of_day, bounds);
    execute format(
        'insert into %s select * from %s where %s', target,
        sluice.sealed_name('unpacked', of_kind, of_day), bounds);
    if last is null then
        execute format(
            'create index if not exists %I on %s (device_key, t)',
            of_kind || to_char(of_day, '"_"YYYYMMDD') || '_device_key_t_idx', target);
    end if;
    return last;
end
$$;
comment on function sluice.unseal_devices is
    'Copies the readings of the next devices; returns the last of them, null when all are copied.';

-- Locks the table, its view and the packed form against everybody: call it with a short lock_timeout.
create function sluice.end_unsealing(of_kind text, of_day date) returns void
language plpgsql
set search_path = pg_catalog
as $$
declare
    name constant text := of_kind || to_char(of_day, '"_"YYYYMMDD');
    target constant text := sluice.sealed_name('unsealed', of_kind, of_day);
    packed constant text := sluice.sealed_name('packed', of_kind, of_day);
    unpacked constant text := sluice.sealed_name('unpacked', of_kind, of_day);
    keys bigint[];
begin
    perform sluice.refuse_state(of_kind, of_day, 'unsealing');
    lock table sluice.day_turn in exclusive mode;
    perform sluice.divide_readings(of_kind, sluice.last_sealed(of_kind, of_day));
    execute format('lock table sluice.%I in access exclusive mode', of_kind);
    execute format('lock table %s in access exclusive mode', packed);
    with gone as (
        delete from sluice_sealed.changed c where c.kind = of_kind and c.day = of_day
        returning c.device_key)
    select array_agg(distinct g.device_key) into keys from gone g;
    if keys is not null then
        perform sluice.refuse_damage(
            of_kind, of_day, format('device_key = any (%L::bigint[])', keys));
        execute format('delete from %s where device_key = any ($1)', target) using keys;
        execute format(
            'insert into %s select * from %s where device_key = any ($1)', target, unpacked)
        using keys;
    end if;
    execute format('drop foreign table sluice_partitions.%I', name);
    execute format('drop view %s', unpacked);
    execute format('drop table %s', packed);
    execute format('alter table %s set schema sluice_partitions', target);
    execute format(
        'alter table sluice_partitions.%I rename to %I', split_part(target, '.', 2), name);
    perform sluice.attach_day_table(of_kind, of_day);
    execute format('alter table sluice_partitions.%I drop constraint is_of_the_day', name);
    update sluice.sealed_day s set
        state = 'live', readings = null, bytes = null, live_bytes = null, changed_at = now()
    where s.kind = of_kind and s.day = of_day;
end
$$;
comment on function sluice.end_unsealing is
    'Puts the copied rows in the place of a day''s packed form, and drops that.';

-- The way to the next position, which lanes follow across days, without the loop.

create function sluice.next_position(device bigint, bound timestamptz)
returns timestamptz
language plpgsql stable
set search_path = pg_catalog
set plan_cache_mode = force_custom_plan
as $$
declare
    -- There is no way after a longer pause.
    latest constant timestamptz := bound + interval '1 day';
    edge timestamptz := bound;
    sealed record;
    found_time timestamptz;
begin
    loop
        select s.day, s.start, s.stop into sealed
        from (
            select d.day, d.day::timestamp at time zone 'UTC' as start,
                (d.day + sluice.partition_days())::timestamp at time zone 'UTC' as stop
            from sluice.sealed_day d
            where d.kind = 'gps' and d.state in ('sealed', 'unsealing')
        ) s
        where s.stop > edge and s.start <= latest
        order by s.start limit 1;
        if not found then
            return (
                select g.t from sluice.gps g
                where g.device_key = device and g.t >= edge and g.t <= latest
                order by g.t limit 1);
        end if;
        -- Live days between here and the next sealed one.
        if edge < sealed.start then
            found_time := (
                select g.t from sluice.gps g
                where g.device_key = device and g.t >= edge and g.t < sealed.start
                order by g.t limit 1);
        end if;
        if found_time is null then
            execute format(
                'select min(r.t) from (%s) r where r.t >= $2 and r.t <= $3',
                sluice.unpacking('gps', format(
                    '(select * from %s where device_key = $1 and t1 >= $2) p',
                    sluice.sealed_name('packed', 'gps', sealed.day))))
            into found_time using device, edge, latest;
        end if;
        if found_time is not null then
            return found_time;
        end if;
        edge := sealed.stop;
    end loop;
end
$$;
comment on function sluice.next_position is
    'The time of a device''s first position from a time on, if it is within a day.';

-- The way to a day that left. Its hour can't be summed again, but its other ways are what they were.
create procedure sluice.move_way(device bigint, late_hour timestamptz, next_time timestamptz)
language plpgsql
set search_path = pg_catalog
as $$
declare
    first record;
    before record;
    way double precision;
begin
    select k.t, k.lat, k.lon, k.metres into first
    from sluice.kept_position k
    where k.device_key = device and k.is_first
        and k.t > late_hour and k.t <= late_hour + interval '25 hours'
    order by k.t limit 1;
    -- Apart, because the nodes of Citus have no is_out, and no such positions.
    if not found then
        return;
    end if;
    if first.t > next_time or not sluice.is_out('gps', (first.t at time zone 'UTC')::date) then
        return;
    end if;
    before := sluice.position_before(device, first.t);
    way := coalesce(sluice.metres_of_way(
        before.t, before.lat, before.lon, first.t, first.lat, first.lon), 0);
    update sluice.gps_rollup r set metres = greatest(0, r.metres - first.metres + way)
    where r.device_key = device and r.hour = sluice.hour_of(first.t);
    if found then
        update sluice.kept_position k set metres = way
        where k.device_key = device and k.is_first and k.t = first.t;
    end if;
end
$$;
comment on procedure sluice.move_way is
    'After a position in an hour that came late: corrects the way to the next one, at next_time, if '
    'that is in a day that left.';

-- On the nodes of Citus there are no sealed days, nor a table of them.
create or replace procedure sluice.note_next_hours(device_keys bigint[], hours timestamptz[])
language plpgsql
set search_path = pg_catalog
as $$
declare
    late record;
    next_time timestamptz;
    has_sealed boolean := to_regclass('sluice.sealed_day') is not null;
begin
    if has_sealed then
        has_sealed := exists (select from sluice.sealed_day);
    end if;
    for late in select * from unnest(device_keys, hours) as s (device_key, hour) loop
        if has_sealed then
            next_time := sluice.next_position(late.device_key, late.hour + interval '1 hour');
        else
            next_time := (
                select g.t from sluice.gps g
                where g.device_key = late.device_key and g.t >= late.hour + interval '1 hour'
                    and g.t <= late.hour + interval '25 hours'
                order by g.t limit 1);
        end if;
        call sluice.move_way(late.device_key, late.hour, next_time);
        if next_time is not null then
            insert into sluice.rollup_due (device_key, hour, kind)
            values (late.device_key, sluice.hour_of(next_time), 'gps')
            on conflict do nothing;
        end if;
    end loop;
end
$$;
