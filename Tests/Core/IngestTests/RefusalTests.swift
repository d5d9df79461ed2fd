import Auth
import Ingest
import Postgres
import Readings
import Scanner
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DatabaseRefusalTests {
    @Test func `a refused row is quarantined and the others of its batch and group are stored`()
        async throws
    {
        let bench = try await Bench.fresh("poison")
        _ = try bench.query("SELECT sluice.ensure_days('2026-02-09', '2026-02-11')::text")
        let connection = try bench.connection()
        try connection.execute("ALTER TABLE sluice.vital ADD CHECK (val <> 13)")
        let outcomes = try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
            for device in 0..<5 {
                group.addTask {
                    let readings = (0..<20).map {
                        Bodies.vital($0, device == 2 && $0 % 10 == 3 ? 13 : 70)
                    }
                    return try await bench.post(Bodies.batch("d\(device)", readings))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == .stored(20) }.count == 4)
        let refused = LaneRefusals(.refusedByDatabase, 2)
        #expect(outcomes.filter { $0 == .stored(18, refused: refused) }.count == 1)
        #expect(bench.setAsideByLanes(.refusedByDatabase) == 2)
        #expect(bench.setAsideByLanes(.timeTooOld) == 0)
        #expect(try bench.count("sluice.vital") == 98)
        let bodies = try bench.query(
            "SELECT convert_from(body, 'UTF8') FROM sluice.quarantine ORDER BY 1")
        #expect(
            try bench.query("SELECT DISTINCT reason FROM sluice.quarantine") == [
                "refused_by_database"
            ])
        // Scanning the quarantined body gives the same reading.
        for (body, second) in zip(bodies, [3, 13]) {
            let again = try Bench.scan(Bodies.batch("d2", [body]))
            let first = try Bench.scan(Bodies.batch("d2", [Bodies.vital(second, 13)]))
            #expect(
                again.deviceBatches[0].tuples(of: .vital)
                    == first.deviceBatches[0].tuples(of: .vital))
        }
        // Sent again: still one row for each reading.
        let readings = [Bodies.vital(3, 13)]
        #expect(
            try await bench.post(Bodies.batch("d2", readings))
                == .stored(0, refused: LaneRefusals(.refusedByDatabase, 1)))
    }

    @Test func `a permanent refusal is answered with its code`() async throws {
        let bench = try await Bench.fresh("stop", Bench.single)
        // From here on the lane knows the day.
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(0)])) == .stored(1))
        let connection = try bench.connection()
        try connection.execute("ALTER TABLE sluice.vital RENAME TO gone")
        #expect(
            try await bench.post(Bodies.batch("d", [Bodies.vital(1)]))
                == .refused(sqlState: "42P01"))
        try connection.execute("ALTER TABLE sluice.gone RENAME TO vital")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(1)])) == .stored(1))
    }

    @Test func `a day that was dropped is made again`() async throws {
        let bench = try await Bench.fresh("days")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(1)])) == .stored(1))
        let name = try bench.query("SELECT tableoid::regclass::text FROM sluice.vital")[0]
        try bench.connection().execute("DROP TABLE \(name)")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(2)])) == .stored(1))
        // Three days in one batch, far apart.
        let far = [Bodies.gps(0), Bodies.gps(90_000), Bodies.gps(-900_000)]
        #expect(try await bench.post(Bodies.batch("d", far)) == .stored(3))
    }

    @Test func `a reading of a day that left is quarantined as too old and counted as that`()
        async throws
    {
        let bench = try await Bench.fresh("left")
        let days = (0..<3).map { Bodies.vital($0 * 86_400) }
        #expect(try await bench.post(Bodies.batch("d", days)) == .stored(3))
        let day = String(Bodies.time(0).prefix(10))
        try bench.connection().execute(
            """
            DELETE FROM sluice.rollup_due;
            SELECT sluice.begin_leaving('vital', '\(day)');
            DROP TABLE sluice_partitions.leaving_1_vital_\(day.replacing("-", with: ""));
            UPDATE sluice.archive SET state = 'gone'
            """)
        // A lane that has made the day itself would assume that it still exists.
        await bench.finish()
        let late = await Bench(bench.settings)
        let mixed = [Bodies.vital(1), Bodies.vital(86_401), Bodies.vital(2)]
        #expect(
            try await late.post(Bodies.batch("d", mixed))
                == .stored(1, refused: LaneRefusals(.timeTooOld, 2)))
        // Again, with more readings than are examined one by one.
        let many = (0..<200).map { Bodies.vital($0) }
        #expect(
            try await late.post(Bodies.batch("e", many))
                == .stored(0, refused: LaneRefusals(.timeTooOld, 200)))
        #expect(late.setAsideByLanes(.timeTooOld) == 202)
        #expect(try late.query("SELECT DISTINCT reason FROM sluice.quarantine") == ["t_too_old"])
    }

    @Test func `the same bad reading is one row however often it is sent`() async throws {
        let bench = try await Bench.fresh("bad")
        let bad = "{\"t\":\"\(Bodies.time(1))\",\"type\":\"gps\",\"lat\":91,\"lon\":0}"
        let body = Bodies.batch("d", [bad, Bodies.gps(2), bad])
        #expect(try await bench.post(body) == .stored(1, quarantined: 2))
        // The edge counts the scanner's quarantined readings.
        #expect(bench.setAsideByLanes(.refusedByDatabase) == 0)
        #expect(try await bench.post(body) == .stored(0, duplicates: 1, quarantined: 2))
        #expect(
            try bench.query(
                """
                SELECT device_id || ' ' || reason || ' ' || reading_index || ' ' || api_key
                    || ' ' || (convert_from(body, 'UTF8') = $$\(bad)$$)
                FROM sluice.quarantine
                """) == ["d lat_out_of_range 0 test true"])
    }

    @Test func `a device id with another's key is refused and its readings quarantined`()
        async throws
    {
        let bench = try await Bench.fresh("clash")
        let key = DeviceKey(of: "d", user: "d")
        try bench.connection().execute(
            """
            INSERT INTO sluice.device_state (device_key, key_check)
            VALUES (\(key.value), \(key.check &+ 1))
            """)
        #expect(
            try await bench.post(Bodies.batch("d", [Bodies.vital(1)]))
                == .stored(0, refused: LaneRefusals(.deviceKeyClash, 1)))
        #expect(bench.setAsideByLanes(.deviceKeyClash) == 1)
        #expect(try bench.count("sluice.vital") == 0)
        #expect(
            try bench.query("SELECT reason FROM sluice.quarantine") == ["device_key_clash"])
    }

    @Test func `the last value that is not null is kept of each attribute`() async throws {
        let bench = try await Bench.fresh("attributes")
        func body(_ metadata: String) -> String {
            "{\"metadata\":{\"device_id\":\"D\",\"user_id\":\"U\"\(metadata)},\"data\":[]}"
        }
        let device = """
            SELECT concat_ws('|', device_id, user_id, model_name, version) FROM sluice.device
            WHERE user_id <> 'd'
            """
        // Another user of the device has attributes of its own.
        #expect(
            try await bench.post(#"{"metadata":{"device_id":"D","version":"9"},"data":[]}"#)
                == .stored(0))
        #expect(try bench.query(device) == [])
        #expect(try await bench.post(body("")) == .stored(0))
        #expect(try bench.query(device) == ["d|U"])
        #expect(try await bench.post(body(",\"version\":\"1\"")) == .stored(0))
        #expect(try await bench.post(body(",\"version\":null,\"model_name\":\"m\"")) == .stored(0))
        #expect(try bench.query(device) == ["d|U|m|1"])
        #expect(try await bench.post(body(",\"version\":\"2\"")) == .stored(0))
        #expect(try bench.query(device) == ["d|U|m|2"])
        // In one group, the batch that was received last counts, in any position.
        let bodies = [",\"model_name\":\"n\"", ",\"version\":\"3\"", ",\"version\":\"4\""]
        let times = [30, 10, 20].map { Timestamp(microseconds: Bench.now.microseconds + $0) }
        let outcomes = try await bench.post(together: bodies.map(body), at: times, []).batches
        #expect(outcomes == [BatchOutcome?](repeating: .stored(0), count: 3))
        #expect(try bench.query(device) == ["d|U|n|4"])
    }

    @Test func `batches are turned away while the server is down and taken when it is back`()
        async throws
    {
        let directory = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: directory)
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        _ = try Migrator().run(on: connection)
        connection.close()
        var configuration = Bench.unhurried
        configuration.patience = .milliseconds(300)
        let bench = await Bench(cluster.settings, configuration)
        try await bench.store(Bodies.batch("d", [Bodies.vital(1)]))
        try cluster.stop()
        let outcome = try await bench.post(Bodies.batch("d", [Bodies.vital(2)]))
        guard case .unavailable = outcome else {
            Issue.record("\(outcome)")
            return
        }
        // Once every lane has noticed, `isAvailable` is false too, so requests are refused at their
        // heads.
        let isDown = try await eventually {
            !bench.ingestor.isDatabaseUp && !bench.ingestor.isAvailable
        }
        #expect(isDown)
        guard case .unavailable = bench.ingestor.refusal(forBytes: 1, of: nil) else {
            Issue.record("a head was let in")
            return
        }
        let again = try TestCluster.startServer(dataDirectory: directory)
        try await bench.store(Bodies.batch("d", [Bodies.vital(2)]))
        #expect(try bench.count("sluice.vital") == 2)
        await bench.finish()
        try again.stop()
        try? PrivateCluster.discard(dataDirectory: directory)
    }

    @Test func `a body is turned away once its device's lane is known to be full`() async throws {
        var configuration = Bench.unhurried
        configuration.lanes = 2
        configuration.laneBytesMax = 20_000
        let bench = try await Bench.fresh("lane_full", configuration)
        let holder = try bench.connection()
        try holder.execute("BEGIN; LOCK TABLE sluice.vital IN ACCESS EXCLUSIVE MODE")
        let gathered = Gathered<BatchCounts>()
        // One device can fill four fifths of its lane, besides the batch under way.
        var taken = 0
        while taken < 1000 {
            let batch = try Bench.scan(Bodies.batch("d", [Bodies.vital(taken)]))
            let offer = bench.ingestor.offer(
                batch, key: KeyID(name: "k", id: nil), ticket: UInt64(taken), replyTo: gathered)
            guard offer == .taken else { break }
            taken += 1
            if taken == 1 {
                bench.ingestor.dispatch()
                try await bench.waitForLocks(1)
            }
        }
        let refusals = (["d"] + (0..<100).map(String.init)).map {
            bench.ingestor.refusal(forBytes: 10_000, of: DeviceKey(of: $0, user: $0))
        }
        guard case .full = refusals[0] else {
            Issue.record("\(String(describing: refusals[0])) after \(taken)")
            return
        }
        #expect((20..<80).contains(refusals.count { $0 == nil }))
        #expect(bench.ingestor.refusal(forBytes: 10_000, of: nil) == nil)
        bench.ingestor.dispatch()
        try holder.execute("ROLLBACK")
        #expect(await gathered.wait(for: taken).count == taken)
    }

    @Test func `a batch that was taken before the stop is committed and answered`() async throws {
        let bench = try await Bench.fresh("finish")
        async let outcomes = withThrowingTaskGroup(of: BatchOutcome.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await bench.post(Bodies.batch("d\(number % 7)", [Bodies.vital(number)]))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        try await Task.sleep(for: .milliseconds(5))
        await bench.finish()
        let stored = try await outcomes.filter { $0 == .stored(1) }.count
        #expect(try bench.count("sluice.vital") == stored)
        let after = try await bench.post(Bodies.batch("d", [Bodies.vital(1)]))
        guard case .unavailable = after else {
            Issue.record("\(after)")
            return
        }
    }
}
