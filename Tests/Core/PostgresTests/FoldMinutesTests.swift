import Postgres
import TestSupport
import Testing

/// Archived sums by minute, of both forms, become sums by hour.
@Suite(.timeLimit(.minutes(10)))
struct FoldMinutesTests {
    @Test func `sums by minute become sums by hour`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "fold")
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-10', '2026-02-11');
            CREATE TABLE public.minutes (
                device_key bigint, minute timestamptz, readings integer, metres double precision,
                code smallint, low double precision, high double precision,
                total double precision, last_t timestamptz, last_val double precision,
                codes smallint[], sums double precision[]);
            INSERT INTO public.minutes (device_key, minute, code, readings, low, high, total, last_t, last_val)
            SELECT 7, m, c, 2, c, 10 * c, 11 * c, m + interval '59.999999 s', -c
            FROM generate_series('2026-02-10 22:50+00'::timestamptz, '2026-02-11 00:05+00', '1 min') m,
                generate_series(1, 2) c;
            INSERT INTO public.minutes (device_key, minute, readings, codes, sums)
            SELECT 7, m, 4, '{1,2}', ARRAY[[2, 0.5, 10, 11, 59999999, 5], [2, 2, 20, 22, 59999999, -2]]
            FROM generate_series('2026-02-10 23:30+00'::timestamptz, '2026-02-11 00:09+00', '1 min') m;
            SELECT sluice.fold_minutes('public.minutes', 'vital_rollup', 'sluice.vital_rollup');
            TRUNCATE public.minutes;
            INSERT INTO public.minutes (device_key, minute, readings, metres)
            SELECT 7, m, 1, 0.5
            FROM generate_series('2026-02-10 23:30+00'::timestamptz, '2026-02-11 01:01+00', '1 min') m;
            SELECT sluice.fold_minutes('public.minutes', 'gps_rollup', 'sluice.gps_rollup')
            """)
        let rows = try connection.query(
            """
            SELECT concat_ws(' ', extract(hour FROM hour AT TIME ZONE 'UTC'), code, readings,
                first_minute, last_minute, low, high, total, last_val)
            FROM sluice.vital_rollup
            UNION ALL
            SELECT concat_ws(' ', extract(hour FROM hour AT TIME ZONE 'UTC'), 'm', readings,
                first_minute, last_minute, metres)
            FROM sluice.gps_rollup
            ORDER BY 1
            """)
        #expect(
            (0..<rows.count).map { rows.string($0, 0) } == [
                "0 1 32 0 9 0.5 10 176 5",
                "0 2 32 0 9 2 20 352 -2",
                "0 m 60 0 59 30",
                "1 m 2 0 1 1",
                "22 1 20 50 59 1 10 110 -1",
                "22 2 20 50 59 2 20 220 -2",
                "23 1 180 0 59 0.5 10 990 5",
                "23 2 180 0 59 2 20 1980 -2",
                "23 m 30 30 59 15",
            ])
    }
}
