import Ingest
import Postgres
import TestSupport
import Testing

/// Each round trip between a batch and its answer costs a millisecond where the database is on
/// another machine, and delays all batches behind it.
@Suite(.timeLimit(.minutes(10))) struct RoundTripTests {
    private final class Rig {
        let counter: RoundTripCounter
        let bench: Bench

        init(delay: UInt32 = 0) async throws {
            let settings = try TestCluster.shared.freshDatabase(named: "trips")
            counter = try RoundTripCounter(
                to: settings, of: "sluice lane", delay: delay)
            bench = await Bench(counter.settings, Bench.single)
        }

        func finish() async {
            await bench.finish()
            counter.stop()
        }

        /// - Returns: the round trips until the batch is answered.
        func post(
            _ body: String, stored: Int, duplicates: Int = 0, quarantined: Int = 0
        ) async throws -> Int {
            try await counter.trips {
                let outcome = try await bench.post(body)
                #expect(
                    outcome
                        == .stored(stored, duplicates: duplicates, quarantined: quarantined))
            }
        }
    }

    private static func readings(_ second: Int) -> [String] {
        [Bodies.gps(second), Bodies.vital(second), Bodies.event(second)]
    }

    private static func body(_ device: String, version: String, _ second: Int) -> String {
        """
        {"metadata":{"device_id":"\(device)","version":"\(version)","model_name":"m"},\
        "data":[\(readings(second).joined(separator: ","))]}
        """
    }

    @Test func `a small batch of each sort takes as few round trips as it can`() async throws {
        let rig = try await Rig()
        // Makes the day, and opens the session.
        #expect(try await rig.bench.post(Bodies.batch("first", Self.readings(0))) == .stored(3))
        #expect(try await rig.post(Bodies.batch("d", Self.readings(10)), stored: 3) == 3)
        #expect(try await rig.post(Bodies.batch("d", Self.readings(20)), stored: 3) == 2)
        #expect(
            try await rig.post(Bodies.batch("d", Self.readings(20)), stored: 0, duplicates: 3) == 3)
        // Late, and partly sent again.
        #expect(
            try await rig.post(
                Bodies.batch("d", Self.readings(15) + Self.readings(20)), stored: 3, duplicates: 3)
                == 3)
        #expect(try await rig.post(Self.body("d", version: "1", 30), stored: 3) == 2)
        #expect(try await rig.post(Self.body("d", version: "2", 40), stored: 3) == 2)
        let bad = #"{"t":"\#(Bodies.time(50))","type":"vital","code":1}"#
        #expect(
            try await rig.post(
                Bodies.batch("d", Self.readings(50) + [bad]), stored: 3, quarantined: 1) == 2)
        // A name of a metric costs one where the session does not know it.
        let named = [60, 70].map {
            #"{"t":"\#(Bodies.time($0))","type":"vital","metric":"m","val":1}"#
        }
        #expect(try await rig.post(Bodies.batch("d", [named[0]]), stored: 1) == 3)
        #expect(try await rig.post(Bodies.batch("d", [named[1]]), stored: 1) == 2)
        await rig.finish()
    }

    /// A database a millisecond away gets some hundred rows without one more.
    @Test(arguments: [0, 1000] as [UInt32])
    func `many rows take one round trip more for each kind`(delay: UInt32) async throws {
        let rig = try await Rig(delay: delay)
        #expect(try await rig.bench.post(Bodies.batch("d", Self.readings(0))) == .stored(3))
        let some = (1...200).flatMap(Self.readings)
        let trips = try await rig.post(Bodies.batch("d", some), stored: 600)
        // Where the machine stalls, a database beside it seems to be far away.
        #expect(delay > 0 ? trips == 2 : trips == 5 || trips == 2)
        let many = (1001...3000).flatMap(Self.readings)
        #expect(try await rig.post(Bodies.batch("d", many), stored: 6000) == 5)
        await rig.finish()
    }

    /// As after a failover, or where the way through the network has changed.
    @Test func `a database that moves is noticed by an open session`() async throws {
        let rig = try await Rig()
        var second = 0
        /// Small batches, until 600 rows take as many round trips.
        func post(until trips: Int, within time: Duration) async throws -> Bool {
            let end = ContinuousClock.now + time
            repeat {
                for _ in 0..<64 {
                    second += 1
                    let body = Bodies.batch("d", Self.readings(second))
                    #expect(try await rig.bench.post(body) == .stored(3))
                }
                let some = (second + 1...second + 200).flatMap(Self.readings)
                second += 200
                if try await rig.post(Bodies.batch("d", some), stored: 600) == trips {
                    return true
                }
            } while .now < end
            return false
        }
        // On a machine that is busy, the relay alone can make the database seem far away.
        let isNear = try await post(until: 5, within: .seconds(5))
        rig.counter.set(delay: 1000)
        #expect(try await post(until: 2, within: .seconds(30)))
        rig.counter.set(delay: 0)
        if isNear { #expect(try await post(until: 5, within: .seconds(60))) }
        await rig.finish()
    }

    @Test func `another user of a device costs one round trip, and only once`() async throws {
        let rig = try await Rig()
        func body(_ user: String, _ second: Int) -> String {
            Bodies.batch("d", user: user, Self.readings(second))
        }
        #expect(try await rig.bench.post(body("ann", 0)) == .stored(3))
        #expect(try await rig.post(body("bob", 10), stored: 3) == 4)
        #expect(try await rig.post(body("bob", 20), stored: 3) == 2)
        #expect(try await rig.post(body("ann", 30), stored: 3) == 2)
        await rig.finish()
    }
}
