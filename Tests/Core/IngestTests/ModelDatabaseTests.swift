import Auth
import Ingest
import Postgres
import Readings
import Scanner
import Simulation
import TestSupport
import Testing

/// The simulation is worth as much as its model of PostgreSQL. The same batches go through the core
/// into the model and into a real database: the answers and the rows must be the same.
@Suite(.timeLimit(.minutes(10))) struct ModelDatabaseTests {
    /// The same lines as ``CalmRun/rows``.
    private static let rows = """
        with since as (
          select device_key, key_check, readings, said,
            array(
              select coalesce(
                (extract(epoch from nullif(t, '-infinity') - timestamptz '2000-01-01 00:00Z')
                  * 1000000)::bigint, -9223372036854775808)
              from unnest(array[gps_until, vital_until, event_until, said_at])
                with ordinality u (t, place)
              order by place) as times
          from sluice.device_state
        ), reading as (
          select 'gps' as kind, device_key, t from sluice.gps
          union all select 'vital', device_key, t from sluice.vital
          union all select 'event', device_key, t from sluice.event
        )
        select format('state %s %s %s %s %s %s %s %s', device_key, key_check, readings, times[1],
          times[2], times[3], said, times[4]) from since
        union all
        select format('device %s %s %s %s %s', device_key, device_id, user_id,
          coalesce(model_name, '-'), coalesce(version, '-')) from sluice.device
        union all
        select format('keys %s %s', device_id,
          array_to_string(array(select unnest(keys) order by 1), ',')) from sluice.device_keys
        union all
        select format('%s %s %s', kind, device_key,
          (extract(epoch from t - timestamptz '2000-01-01 00:00Z') * 1000000)::bigint)
        from reading
        union all
        select format('quarantine %s', device_key) from sluice.quarantine
        """

    private func describe(_ answer: BatchOutcome?) -> String { answer.map { "\($0)" } ?? "none" }

    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func `the model answers and stores as PostgreSQL does`(seed: UInt64) async throws {
        let run = Simulation().calmRun(seed: seed)
        #expect(run.violations == [])
        let settings = try TestCluster.shared.freshDatabase(named: "model")
        try Bench.run(
            "alter table sluice.vital add check (code <> \(CalmRun.refusedCode))", on: settings)
        let bench = await Bench(settings, Bench.single)
        var ticket: UInt64 = 0
        for (place, together) in run.exchanges.enumerated() {
            let gathered = Gathered<BatchCounts>()
            let first = ticket
            for exchange in together {
                bench.set(clock: exchange.receivedAt)
                let batch = try Bench.scan(
                    exchange.body, now: exchange.receivedAt, shape: exchange.shape,
                    limits: CalmRun.limits)
                let offer = bench.ingestor.offer(
                    batch, key: KeyID(name: "test", id: nil), ticket: ticket, replyTo: gathered)
                #expect(offer == .taken)
                ticket += 1
            }
            bench.ingestor.dispatch()
            let answers = await gathered.wait(for: together.count)
            for (index, exchange) in together.enumerated() {
                let answer = answers[first + UInt64(index)]
                #expect(
                    answer != nil && answer == exchange.answer,
                    "batch \(place).\(index): \(describe(answer)), the model \(describe(exchange.answer))"
                )
            }
        }
        await bench.finish()
        let rows = try bench.query(Self.rows).sorted()
        #expect(
            rows.difference(from: run.rows.sorted()).isEmpty,
            "\(rows.difference(from: run.rows.sorted()))")
    }
}
