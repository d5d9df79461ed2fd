import Readings
import Scanner
import ScannerSupport
import Testing

@Suite struct `A device batch` {
    @Test func `splits into halves until each row is alone`() throws {
        for deviceBatch in try deviceBatches(seeds: 0..<40) {
            var parts = [deviceBatch]
            while let place = parts.firstIndex(where: { $0.rowCount > 1 }) {
                let (first, second) = try #require(parts[place].halves())
                #expect(first.rowCount == parts[place].rowCount / 2)
                #expect(first.attributes == parts[place].attributes)
                #expect(first.quarantined == parts[place].quarantined)
                #expect(second.attributes == nil)
                #expect(second.quarantined == [])
                parts.replaceSubrange(place...place, with: [first, second])
            }
            #expect(parts.allSatisfy { $0.halves() == nil && $0.deviceID == deviceBatch.deviceID })
            for kind in ReadingKind.allCases {
                #expect(parts.flatMap { $0.tuples(of: kind) } == deviceBatch.tuples(of: kind))
            }
            #expect(parts.map(\.rowCount).reduce(0, +) == deviceBatch.rowCount)
        }
    }

    @Test func `knows the times in its halves`() throws {
        for deviceBatch in try deviceBatches(seeds: 40..<80) {
            guard let (first, second) = deviceBatch.halves() else { continue }
            for part in [first, second] {
                let decoded = DecodedDevice(part)
                for kind in ReadingKind.allCases {
                    let times = times(in: decoded[kind].tuples)
                    #expect(decoded[kind].count == times.count)
                    #expect(decoded[kind].first == times.min() ?? Int64.max)
                    #expect(decoded[kind].last == times.max() ?? Int64.min)
                    let isRising = zip(times, times.dropFirst()).allSatisfy { $0 < $1 }
                    #expect(decoded[kind].strictlyRising == isRising)
                }
            }
        }
    }

    @Test func `says how much memory it holds`() throws {
        for deviceBatch in try deviceBatches(seeds: 160..<180) {
            let rowBytes = ReadingKind.allCases.reduce(0) { $0 + deviceBatch.tuples(of: $1).count }
            let asideBytes = deviceBatch.quarantined.reduce(0) { $0 + $1.body.count }
            #expect(deviceBatch.byteCount == rowBytes + asideBytes)
            #expect(deviceBatch.memory > deviceBatch.byteCount)
        }
    }

    /// The bodies must be complete, because a refused reading can be sent again.
    @Test func `sets its rows aside as JSON that means the same rows`() throws {
        for deviceBatch in try deviceBatches(seeds: 80..<160) {
            let aside = deviceBatch.settingAsideAll(.refusedByDatabase)
            #expect(aside.rowCount == 0)
            #expect(aside.attributes == deviceBatch.attributes)
            #expect(
                aside.quarantined.prefix(deviceBatch.quarantined.count)
                    == deviceBatch.quarantined[...])
            let added = aside.quarantined.dropFirst(deviceBatch.quarantined.count)
            #expect(added.count == deviceBatch.rowCount)
            #expect(added.allSatisfy { $0.reason == .refusedByDatabase })

            let readings = added.map { String(decoding: $0.body, as: UTF8.self) }
            var scanner = BatchScanner(limits: ReadingLimits())
            scanner.begin(now: BatchGenerator.now)
            let escapedID = jsonEscaped(deviceBatch.deviceID)
            let escapedUser = jsonEscaped(deviceBatch.userID)
            let body = Array(
                """
                {"metadata":{"device_id":"\(escapedID)","user_id":"\(escapedUser)"},\
                "data":[\(readings.joined(separator: ","))]}
                """.utf8)
            try scanner.scan(body.span.bytes)
            let again = try scanner.finish()
            #expect(again.problems == [])
            for kind in ReadingKind.allCases {
                #expect(again.deviceBatches[0].tuples(of: kind) == deviceBatch.tuples(of: kind))
            }
        }
    }

    @Test func `sets some of its rows aside and keeps the others in order`() throws {
        for deviceBatch in try deviceBatches(seeds: 180..<220) {
            let aside = deviceBatch.settingAside(.timeTooOld) { kind, time in
                kind == .vital && time / 1_000_000 % 2 == 0
            }
            let all = DecodedDevice(deviceBatch)
            let kept = DecodedDevice(aside)
            let picked = times(in: all[.vital].tuples).filter { $0 / 1_000_000 % 2 == 0 }
            #expect(aside.rowCount == deviceBatch.rowCount - picked.count)
            let added = aside.quarantined.dropFirst(deviceBatch.quarantined.count)
            #expect(added.count == picked.count)
            #expect(added.allSatisfy { $0.reason == .timeTooOld && $0.index < 0 })
            #expect(aside.attributes == deviceBatch.attributes)
            for kind in [ReadingKind.gps, .event] {
                #expect(aside.tuples(of: kind) == deviceBatch.tuples(of: kind))
            }
            #expect(
                times(in: kept[.vital].tuples)
                    == times(in: all[.vital].tuples).filter { $0 / 1_000_000 % 2 != 0 })
        }
    }

    private func deviceBatches(seeds: Range<UInt64>) throws -> [DeviceBatch] {
        try seeds.flatMap { seed in
            var generator = BatchGenerator(seed: seed)
            let body = generator.body(readings: 40, faultyOnceIn: 10)
            var scanner = BatchScanner(limits: ReadingLimits())
            scanner.begin(now: BatchGenerator.now)
            try scanner.scan(body.span.bytes)
            let batch = try scanner.finish()
            // As the lanes get it.
            return batch.resolved(batch.metricNames.indices.map { 1000 + Int16($0) }).deviceBatches
        }
    }

    /// The second field of each tuple.
    private func times(in tuples: [UInt8]) -> [Int64] {
        func number(_ place: Int, bytes: Int) -> Int64 {
            tuples[place..<place + bytes].reduce(0) { $0 << 8 | Int64($1) }
        }
        var times: [Int64] = []
        var place = 0
        while place < tuples.count {
            times.append(number(place + 18, bytes: 8))
            let fields = number(place, bytes: 2)
            place += 2
            for _ in 0..<fields {
                let length = Int32(truncatingIfNeeded: number(place, bytes: 4))
                place += 4 + max(0, Int(length))
            }
        }
        return times
    }

    private func jsonEscaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
                ? "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                : String(scalar)
        }.joined()
    }
}
