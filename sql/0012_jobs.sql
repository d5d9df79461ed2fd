-- Jobs: work that units of work ask for and that is done after their commit.

-- One row for each piece of work that is not done; a job that is done has no row. due_at alone says
-- whether a runner may take it: the moment it is wanted, the end of a pause after a failure, the end
-- of the lease of the runner that has it, or never.
create table sluice.job (
    id bigint generated always as identity primary key,
    kind text collate "C" not null check (length(kind) between 1 and 128),
    key text collate "C" not null check (length(key) between 1 and 512),
    payload text not null,
    due_at timestamptz not null,
    again_at timestamptz,
    attempts integer not null default 0,
    lease bigint,
    lease_owner text,
    last_error text,
    failed_at timestamptz,
    dead_at timestamptz,
    created_at timestamptz not null default now(),
    unique (kind, key)
) with (
    fillfactor = 70,
    -- Rows live for milliseconds: what is dead has to go by number, not by share.
    autovacuum_vacuum_threshold = 2000,
    autovacuum_vacuum_scale_factor = 0,
    autovacuum_analyze_scale_factor = 1.0
);
create index job_due_at on sluice.job (due_at);
create index job_dead_at on sluice.job (dead_at) where dead_at is not null;
comment on table sluice.job is 'Work that is not done yet. Finished jobs are deleted.';
comment on column sluice.job.id is 'Names the job in lists.';
comment on column sluice.job.kind is 'What is to be done, for example capture.analyse.';
comment on column sluice.job.key is 'To what: one job a kind and key.';
comment on column sluice.job.payload is 'What the handler needs to know beyond the key, JSON.';
comment on column sluice.job.due_at is
    'When a runner may take it; infinity for a dead one. While it runs: the end of its lease.';
comment on column sluice.job.again_at is
    'It was asked for again while it ran: when it is to run again. Null if it was not.';
comment on column sluice.job.attempts is
    'How often a runner took it since it was made, done or retried by hand.';
comment on column sluice.job.lease is 'Who takes it gets a number of his own; null if nobody has it.';
comment on column sluice.job.lease_owner is 'The node that has it, for people.';
comment on column sluice.job.last_error is 'Why it failed last; null if it never did.';
comment on column sluice.job.failed_at is 'When it failed last.';
comment on column sluice.job.dead_at is
    'When it had failed so often that it is only run again by hand or when it is asked for anew.';
comment on column sluice.job.created_at is 'When it was first asked for.';

create sequence sluice.job_lease cache 100;
comment on sequence sluice.job_lease is 'Numbers of leases: never one twice.';

create function sluice.enqueue_job(
    kind text, key text, payload text, run_at timestamptz default now()
) returns void
language plpgsql
set search_path = pg_catalog
as $$
#variable_conflict use_variable
begin
    insert into sluice.job as j (kind, key, payload, due_at)
    values (kind, key, payload, run_at)
    on conflict on constraint job_kind_key_key do update set
        payload = excluded.payload,
        due_at = case when j.lease is null then least(j.due_at, excluded.due_at) else j.due_at end,
        again_at = case when j.lease is null then null else least(j.again_at, excluded.due_at) end,
        attempts = case when j.dead_at is null then j.attempts else 0 end,
        dead_at = null;
    -- An empty payload: however many jobs a transaction makes, one notification.
    if run_at <= now() then
        perform pg_notify('sluice_job', '');
    end if;
end
$$;
comment on function sluice.enqueue_job is
    'Asks for a job: waiting already, it takes this payload and the earlier time; running, it will '
    'run again; dead, it gets a new chance.';

-- Completes a job in the transaction that holds its results, called last in it.
create function sluice.finish_job(job_id bigint, job_lease bigint) returns boolean
language plpgsql
set search_path = pg_catalog
as $$
begin
    delete from sluice.job j where j.id = job_id and j.lease = job_lease and j.again_at is null;
    if found then
        return true;
    end if;
    update sluice.job j set
        due_at = j.again_at, again_at = null, attempts = 0, lease = null, lease_owner = null,
        last_error = null, failed_at = null
    where j.id = job_id and j.lease = job_lease;
    if not found then
        return false;
    end if;
    perform pg_notify('sluice_job', '');
    return true;
end
$$;
comment on function sluice.finish_job is
    'False when the lease is not ours any more: roll back.';
