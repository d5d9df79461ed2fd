@testable import SpoolLog
import SpoolLogSupport
import Testing

/// Spools that a crash left, and whose files are then changed from outside.
@Suite struct TamperTests {
    /// The files after a few lives of a spool, and the records promised by then.
    struct Story {
        let files: [(name: String, bytes: [UInt8])]
        private(set) var promised: Set<[UInt8]> = []

        static var configuration: SpoolConfiguration {
            var configuration = SpoolConfiguration.small
            configuration.segmentBytesMax = 8 * 1024
            configuration.recordBytesMax = 1024
            configuration.bufferBytesMax = 1500
            return configuration
        }

        /// - Parameter power: whether each life ends with a power loss, or with the process alone.
        init(seed: UInt64, power isLost: Bool) throws {
            var dice = Dice(seed: seed)
            var disk = ModelDisk(seed: dice.next())
            var count: UInt8 = 0
            for _ in 0...dice.below(3) {
                let spool = try Spool(disk, configuration: Self.configuration)
                var pending: [[UInt8]] = []
                for _ in 0..<dice.below(16) {
                    count += 1
                    // Some payloads end exactly at the end of a page.
                    let payload =
                        [count] + LimitTests.noise(dice.below(400), seed: UInt64(count))
                    if case .appended = try spool.append(payload) { pending.append(payload) }
                    if dice.below(3) == 0 {
                        try spool.sync()
                        promised.formUnion(pending)
                        pending = []
                    }
                    if dice.below(8) == 0, let oldest = try spool.next(after: nil) {
                        try spool.release(oldest.id)
                        promised.remove(oldest.payload)
                    }
                }
                // In the middle of a sync, or between two.
                disk.faults[disk.calls + 1 + dice.below(5)] = .crashes
                if (try? spool.sync()) != nil { promised.formUnion(pending) }
                disk = isLost ? disk.crash() : disk.endOfProcess()
            }
            files = try disk.names().sorted().map { ($0, disk.content(of: $0) ?? []) }
        }

        static func disk(_ files: [(name: String, bytes: [UInt8])]) -> ModelDisk {
            let disk = ModelDisk(seed: 3)
            for file in files { disk.place(file.bytes, as: file.name) }
            return disk
        }

        /// Opens the files after `change`.
        ///
        /// - Returns: what is wrong with the spool's reaction.
        func fault(after change: (ModelDisk) -> Void) throws -> String? {
            let disk = Self.disk(files)
            change(disk)
            let isFaulty = try SpoolVerification.verify(disk).contains { $0.fault != nil }
            let spool = try Spool(disk, configuration: Self.configuration)
            let isReported = !spool.recovery.setAside.isEmpty
            if isFaulty != isReported { return "verify says \(isFaulty), recovery \(isReported)" }
            let lost = promised.subtracting(try spool.all().map(\.payload))
            guard !lost.isEmpty else { return nil }
            if !isReported { return "\(lost.count) promised records are gone without a word" }
            try spool.releaseAll()
            let isKept = try disk.names().contains { $0.hasPrefix("bad-") }
            return isKept ? nil : "the file is not kept"
        }
    }

    /// A write that a power loss cut off looks like an acknowledged write that was damaged later.
    @Test(arguments: [false, true])
    func `an unchanged file is no damage`(power isLost: Bool) throws {
        var doubts = 0
        for seed in 1...300 as ClosedRange<UInt64> {
            let story = try Story(seed: seed, power: isLost)
            let disk = Story.disk(story.files)
            let faults = try SpoolVerification.verify(disk).compactMap(\.fault)
            let spool = try Spool(disk, configuration: Story.configuration)
            #expect(spool.recovery.setAside.map(\.reason) == faults, "seed \(seed)")
            for fault in faults {
                guard isLost, case .doubtful = fault else {
                    Issue.record("seed \(seed): \(fault)")
                    continue
                }
                doubts += 1
            }
            #expect(
                story.promised.isSubset(of: try spool.all().map(\.payload)), "seed \(seed)")
        }
        #expect(!isLost || 1..<250 ~= doubts, "\(doubts)")
    }

    /// Every byte at both ends of the written part, and every seventh byte between them.
    @Test(arguments: [false, true])
    func `a file that is cut at any byte loses no promised record without a report`(
        power isLost: Bool
    ) throws {
        var cuts = 0
        for seed in 1...2 as ClosedRange<UInt64> {
            let story = try Story(seed: seed, power: isLost)
            for (name, bytes) in story.files where !name.hasPrefix("spare-") {
                // After the written part all places are alike.
                let end = min((bytes.lastIndex { $0 != 0 } ?? 0) + 100, bytes.count)
                let lengths = (0..<end).filter {
                    $0 < 400 || $0 + 400 > end || $0 % 7 == Int(seed) % 7
                }
                for length in lengths + stride(from: end, to: bytes.count, by: 50) {
                    let fault = try story.fault { $0.cut(name, to: length) }
                    if let fault {
                        Issue.record("seed \(seed), \(name) cut to \(length): \(fault)")
                        return
                    }
                    cuts += 1
                }
            }
        }
        #expect(cuts > 1000)
    }

    @Test(arguments: [false, true])
    func `a bit that flips in any record loses none without a report`(power isLost: Bool) throws {
        var flips = 0
        for seed in 1...30 as ClosedRange<UInt64> {
            let story = try Story(seed: seed, power: isLost)
            var dice = Dice(seed: seed)
            for (name, bytes) in story.files where !name.hasPrefix("spare-") {
                var places: [Range<Int>] = []
                try SpoolVerification.records(of: name, on: Story.disk(story.files)) { record in
                    let end = places.last?.upperBound ?? 0
                    places.append(max(end, Int(record.id.offset))..<Int(record.id.end))
                    return true
                }
                for place in places {
                    // One bit in the header, one anywhere.
                    for width in [76, place.count] {
                        let offset = place.lowerBound + dice.below(width)
                        let bit = UInt8(1) << dice.below(8)
                        let fault = try story.fault { $0.spoil(name, at: offset) { $0 ^ bit } }
                        if let fault {
                            Issue.record("seed \(seed), \(name), bit at \(offset): \(fault)")
                            return
                        }
                        flips += 1
                    }
                }
                #expect(bytes.count > 0)
            }
        }
        #expect(flips > 300)
    }
}
