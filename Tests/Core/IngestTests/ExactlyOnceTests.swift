import Foundation
import Ingest
import Postgres
import Readings
import ScannerSupport
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ExactlyOnceTests {
    @Test func `the sample of the client's document is three rows`() async throws {
        let bench = try await Bench.fresh("sample")
        let body = """
            {"metadata":{"device_id":"11111111-1111-1111-1111-111111111111","version":"1.0",\
            "model_name":"iPhone 15 Pro"},"data":[{"t":"2026-02-10T14:57:07Z","type":"gps",\
            "lat":34.0522,"lon":-118.2437,"acc":5.0},{"t":"2026-02-10T14:57:02Z","type":"vital",\
            "code":1,"val":72},{"t":"2026-02-10T14:56:57Z","type":"event",\
            "label":"motion_state","val_text":"walking"}]}
            """
        #expect(try await bench.post(body) == .stored(3))
        #expect(try await bench.post(body) == .stored(0, duplicates: 3))
        #expect(
            try bench.query("SELECT t || ' ' || lat || ' ' || lon || ' ' || acc FROM sluice.gps")
                == ["2026-02-10 14:57:07+00 34.0522 -118.2437 5"])
        #expect(try bench.query("SELECT code || ' ' || val FROM sluice.vital") == ["1 72"])
        #expect(
            try bench.query("SELECT label || ' ' || val_text FROM sluice.event")
                == ["motion_state walking"])
        #expect(
            try bench.query(
                "SELECT user_id || ' ' || model_name || ' ' || version FROM sluice.device")
                == ["11111111-1111-1111-1111-111111111111 iPhone 15 Pro 1.0"])
        #expect(try bench.query("SELECT readings::text FROM sluice.device_state") == ["3"])
    }

    @Test func `a reading of every kind is stored once, and counted by analytics`() async throws {
        let bench = try await Bench.fresh("kinds")
        for kind in ReadingKind.allCases {
            let body = Bodies.batch("d", [kind.plainReading()])
            #expect(try await bench.post(body) == .stored(1), "\(kind)")
            #expect(try await bench.post(body) == .stored(0, duplicates: 1), "\(kind)")
        }
        #expect(
            try bench.query(
                "SELECT concat_ws(' ', readings, positions, vitals, events) FROM analytics.session")
                == ["\(ReadingKind.allCases.count) 1 1 1"])
    }

    @Test func `overlapping, late and unordered batches store each reading once`() async throws {
        let bench = try await Bench.fresh("overlap")
        let first = (10..<20).map { Bodies.vital($0) }
        #expect(try await bench.post(Bodies.batch("d", first)) == .stored(10))
        // Re-cut with an overlap of five.
        let second = (15..<25).map { Bodies.vital($0) }
        #expect(try await bench.post(Bodies.batch("d", second)) == .stored(5, duplicates: 5))
        // Late, in descending order, and twice in one batch.
        let late = (0..<10).reversed().map { Bodies.vital($0) }
        #expect(
            try await bench.post(Bodies.batch("d", late + late)) == .stored(10, duplicates: 10))
        // Another value at the same time, or another code, is another reading.
        let others = [Bodies.vital(12, 71), Bodies.vital(12, 70, code: 2), Bodies.vital(12)]
        #expect(try await bench.post(Bodies.batch("d", others)) == .stored(2, duplicates: 1))
        // The same readings of another device, or of another kind, are other readings.
        #expect(try await bench.post(Bodies.batch("e", first)) == .stored(10))
        #expect(try await bench.post(Bodies.batch("d", [Bodies.gps(12)])) == .stored(1))
        #expect(try bench.count("sluice.vital") == 37)
        #expect(
            try bench.query("SELECT readings::text FROM sluice.device_state ORDER BY 1")
                == ["10", "28"])
    }

    /// Few rows are written by INSERTs of arrays, and many by COPY.
    @Test func `a reading is the same whichever way it is written`() async throws {
        let bench = try await Bench.fresh("ways")
        func time(_ second: Int) -> String { #""t":"\#(Bodies.time(second))""# }
        let few = [
            #"{\#(time(1)),"type":"gps","lat":-0.0,"lon":1e-7,"acc":5.5}"#,
            #"{\#(time(2)),"type":"gps","lat":90,"lon":-180}"#,
            #"{\#(time(3)),"type":"vital","code":-32768,"val":1e100}"#,
            #"{\#(time(4)),"type":"event","label":"l"}"#,
            #"{\#(time(5)),"type":"event","label":"\u00e9\ud83d\ude00","val_text":""}"#,
            #"{\#(time(6)),"type":"event","label":"l","val_text":"\\","metadata":{"a":[1,null]}}"#,
        ]
        let many = (10..<4000).flatMap { [Bodies.gps($0), Bodies.vital($0), Bodies.event($0)] }
        #expect(try await bench.post(Bodies.batch("d", few)) == .stored(few.count))
        #expect(
            try await bench.post(Bodies.batch("d", few + many))
                == .stored(many.count, duplicates: few.count))
        #expect(
            try await bench.post(Bodies.batch("d", few + many[30..<60]))
                == .stored(0, duplicates: few.count + 30))
        // The other way round.
        #expect(
            try await bench.post(Bodies.batch("e", few + many)) == .stored(few.count + many.count))
        #expect(
            try await bench.post(Bodies.batch("e", few)) == .stored(0, duplicates: few.count))
        let counts = """
            SELECT count(*) || ' ' || count(DISTINCT (t, lat, lon, acc)) FROM sluice.gps
            """
        #expect(try bench.query(counts) == ["7984 3992"])
        await bench.finish()
    }

    @Test func `an event is the same whatever the order of its metadata's keys`() async throws {
        let bench = try await Bench.fresh("metadata")
        let first = Bodies.event(1, "{\"b\":1.50, \"a\":\"\\u00e9\",\"long\":[1e2,null]}")
        let second = Bodies.event(1, "{\"long\": [100, null],\"a\":\"é\",\"b\":1.50}")
        #expect(try await bench.post(Bodies.batch("d", [first])) == .stored(1))
        #expect(try await bench.post(Bodies.batch("d", [second])) == .stored(0, duplicates: 1))
        let other = Bodies.event(1, "{\"long\": [100, null],\"a\":\"é\",\"b\":1.51}")
        #expect(try await bench.post(Bodies.batch("d", [other])) == .stored(1))
    }

    @Test func `readings of a watch that its phone sends belong to the watch`() async throws {
        let bench = try await Bench.fresh("watch")
        let watch = Bodies.vital(5).dropLast() + ",\"device_id\":\"WATCH\"}"
        let body = Bodies.batch("phone", [Bodies.vital(4), String(watch)])
        #expect(try await bench.post(body) == .stored(2))
        #expect(
            try await bench.post(Bodies.batch("watch", [Bodies.vital(5)]))
                == .stored(0, duplicates: 1))
        #expect(
            try bench.query(
                "SELECT device_id || ' ' || user_id FROM sluice.device ORDER BY 1")
                == ["phone phone", "watch phone", "watch watch"])
    }

    /// Two ingestors on one database act like two processes.
    @Test func `the same batches posted at once to two ingestors are stored once`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "two")
        let left = await Bench(settings)
        let right = await Bench(settings)
        for round in 0..<10 {
            let bodies = (0..<4).map { device in
                Bodies.batch(
                    "device-\(device)", (round * 5..<round * 5 + 20).map { Bodies.vital($0) })
            }
            let outcomes = try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
                for body in bodies {
                    for bench in [left, right, left, right] {
                        group.addTask { try await bench.post(body) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            var stored = 0
            for case .committed(let counts) in outcomes where counts.quarantined == 0 {
                #expect(counts.stored + counts.duplicates == 20)
                stored += counts.stored
            }
            #expect(outcomes.count == 16)
            #expect(stored == 4 * (round == 0 ? 20 : 5))
        }
        #expect(try left.count("sluice.vital") == 4 * (9 * 5 + 20))
        #expect(
            try left.count("(SELECT DISTINCT device_key, t FROM sluice.vital) x")
                == 4 * (9 * 5 + 20))
    }

    /// Sends windows of each device's readings, cut, shuffled and repeated at random, and compares
    /// the table with the set of sent readings.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the table is the set of what was sent`(seed: UInt64) async throws {
        let bench = try await Bench.fresh("model")
        var random = Dice(seed: seed)
        var model: Set<String> = []
        for _ in 0..<60 {
            let device = "d\(Int.random(in: 0..<3, using: &random))"
            let start = Int.random(in: 0..<300, using: &random)
            var readings = (start..<start + Int.random(in: 0...40, using: &random)).map { second in
                switch second % 3 {
                case 0: Bodies.gps(second * 500, Double(second % 7))
                case 1: Bodies.vital(second * 500, Double(second % 5), code: second % 2)
                default: Bodies.event(second * 500, "{\"n\":\(second % 4)}")
                }
            }
            if Bool.random(using: &random) { readings.shuffle(using: &random) }
            if Int.random(in: 0..<4, using: &random) == 0 { readings += readings.prefix(5) }
            var new = 0
            for reading in readings where model.insert(device + reading).inserted { new += 1 }
            let outcome = try await bench.post(Bodies.batch(device, readings))
            #expect(
                outcome == .stored(new, duplicates: readings.count - new), "seed \(seed)")
        }
        let stored = try ["gps", "vital", "event"].reduce(0) {
            try $0 + bench.count("sluice.\($1)")
        }
        #expect(stored == model.count, "seed \(seed)")
        #expect(
            try bench.query("SELECT sum(readings)::text FROM sluice.device_state")
                == ["\(model.count)"])
    }

    @Test func `a commit whose answer is lost is answered correctly`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "lost")
        let cutter = try CommitCutter(to: settings)
        defer { cutter.stop() }
        let bench = await Bench(cutter.settings, Bench.single)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(1)])) == .stored(1))
        for round in 0..<5 {
            cutter.cutNextCommit()
            let readings = (round * 10 + 1..<round * 10 + 13).map { Bodies.vital($0) }
            let outcome = try await bench.post(Bodies.batch("d", readings))
            #expect(outcome == .stored(round == 0 ? 11 : 10, duplicates: round == 0 ? 1 : 2))
        }
        #expect(cutter.cuts == 5)
        let direct = await Bench(settings)
        #expect(try direct.count("sluice.vital") == 52)
        #expect(try direct.query("SELECT readings::text FROM sluice.device_state") == ["52"])
    }
}
