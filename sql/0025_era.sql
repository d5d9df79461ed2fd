-- A number that goes up while the database is written to.
--
-- A copy from an earlier time is on the same timeline as its original, and its log grows, too. But it
-- never has the numbers that were written after it was made: nodes that have seen a higher one don't
-- write to it.

create table sluice.era_mark (
    is_only boolean primary key default true check (is_only),
    number bigint not null
);
comment on table sluice.era_mark is
    'Goes up while the database is written to; a copy is known by what it lacks. One row.';
comment on column sluice.era_mark.is_only is 'True: there is no second row.';
comment on column sluice.era_mark.number is 'How often a node has raised it.';
insert into sluice.era_mark (number) values (0);
