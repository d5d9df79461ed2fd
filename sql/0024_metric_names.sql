-- Measurements whose metric has a name in place of a code.
--
-- A name has one code for good: what a device sends as "heart_rate" is the same metric, also after an
-- operator has given the code another name for the views. So the names that devices send are here, and
-- those that people read are in sluice.metric. A new name gets the first free code from 1000 up, and is
-- its name in sluice.metric too.

create table sluice.metric_name (
    name text not null primary key,
    code smallint not null,
    named_by text
);
comment on table sluice.metric_name is 'The codes of metrics that devices name.';
comment on column sluice.metric_name.name is 'As devices send it.';
comment on column sluice.metric_name.code is 'Its code in sluice.vital.';
comment on column sluice.metric_name.named_by is
    'Name of the API key that sent it first; null if the code was named before.';

insert into sluice.metric_name (name, code)
select m.name, min(m.code) from sluice.metric m group by m.name;

create function sluice.name_metrics(names text[], of_key text, names_max integer)
returns table (metric text, metric_code smallint)
language plpgsql
set search_path = pg_catalog
as $$
declare
    wanted text;
    known smallint;
    free smallint[];
    taken integer := 0;
begin
    if exists (
        select from unnest(names) w
        where not exists (select from sluice.metric_name n where n.name = w))
    then
        -- One at a time, so that no code is given twice.
        lock table sluice.metric_name in share row exclusive mode;
        free := array(
            select c from generate_series(1000, 32767) c
            where not exists (select from sluice.metric m where m.code = c)
                and not exists (select from sluice.metric_name n where n.code = c)
            order by c
            limit greatest(0, names_max
                - (select count(*) from sluice.metric_name n where n.named_by = of_key)));
        for wanted in
            select distinct w from unnest(names) w
            where not exists (select from sluice.metric_name n where n.name = w)
            order by w
        loop
            known := (select min(m.code) from sluice.metric m where m.name = wanted);
            if known is not null then
                insert into sluice.metric_name (name, code) values (wanted, known);
                continue;
            end if;
            continue when taken >= cardinality(free);
            taken := taken + 1;
            insert into sluice.metric (code, name, unit) values (free[taken], wanted, '');
            insert into sluice.metric_name (name, code, named_by)
            values (wanted, free[taken], of_key);
        end loop;
    end if;
    return query
    select w, (select n.code from sluice.metric_name n where n.name = w) from unnest(names) w;
end
$$;
comment on function sluice.name_metrics is
    'The codes of names; new names get one, but of one key only so many. Null: that name got none.';
