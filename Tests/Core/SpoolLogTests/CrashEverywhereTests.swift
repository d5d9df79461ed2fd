import Glibc
import SpoolLog
import SpoolLogSupport
import Testing

/// A fixed course of appends, syncs, replays and a recovery, disturbed at each call of the disk.
@Suite struct CrashEverywhereTests {
    struct Wrong: Error { let what: String }

    /// The course up to the point where the disk stopped. Nothing is thrown, because the spool
    /// continues after errors.
    struct Course {
        var disk: ModelDisk
        var reference = Reference()
        private var dice = Dice(seed: 7)
        private var spool: Spool<ModelDisk>?

        init(_ disk: ModelDisk) { self.disk = disk }

        mutating func run() {
            open()
            for round in 0..<4 {
                for _ in 0..<9 {
                    append(bytes: 3900)
                    append(bytes: 100)
                    sync()
                }
                release(round == 1 ? 100 : 8)
            }
            // Another process takes over; the machine does not crash.
            reference.syncFailed()
            spool?.close()
            open()
            for _ in 0..<3 { append(bytes: 2000) }
            sync()
            release(1000)
            append(bytes: 50)
            sync()
        }

        private mutating func open() {
            spool = nil
            for _ in 0..<3 where spool == nil {
                spool = try? Spool(disk, configuration: .small)
            }
            guard let spool, let records = try? spool.allInTheEnd() else { return }
            _ = reference.recovered(records, afterPowerLoss: false)
        }

        private mutating func append(bytes: Int) {
            let payload = reference.nextPayload(bytes: bytes, &dice)
            if case .appended(let id) = try? spool?.append(payload, units: 3, time: 4) {
                reference.appended(payload, units: 3, time: 4, id)
            }
        }

        private mutating func sync() {
            guard let spool else { return }
            do {
                try spool.sync()
                reference.synced()
            } catch {
                reference.syncFailed()
            }
        }

        private mutating func release(_ count: Int) {
            for _ in 0..<count {
                for segment in spool?.unreadSegments ?? [] { _ = spool?.readAgain(segment.number) }
                guard let record = try? spool?.next(after: nil) else { return }
                if (try? spool?.release(record.id)) != nil { reference.released(record.id) }
            }
        }
    }

    /// Opens what a crash left, checks it, and uses it until it is empty.
    ///
    /// - Parameter mayDoubt: whether a write may have been torn without a record of it.
    static func check(
        _ reference: Reference, _ disk: ModelDisk, mayDoubt: Bool = true
    ) throws {
        var reference = reference
        let spool = try Spool(disk, configuration: .small)
        if let fault = reference.recovered(try spool.all(), afterPowerLoss: mayDoubt) {
            throw Wrong(what: fault)
        }
        if !spool.recovery.isSound(mayDoubt: mayDoubt) {
            throw Wrong(what: "\(spool.recovery.setAside)")
        }
        try spool.releaseAll()
        guard case .appended = try spool.append([1, 2, 3]) else {
            throw Wrong(what: "full, though empty")
        }
        try spool.sync()
        guard try spool.all().map(\.payload) == [[1, 2, 3]] else {
            throw Wrong(what: "not the new record alone")
        }
    }

    static let calls: Int = {
        var course = Course(ModelDisk(seed: 1))
        course.run()
        return course.disk.calls
    }()

    @Test func `the course rolls segments over and recycles them`() throws {
        var course = Course(ModelDisk(seed: 1))
        course.run()
        #expect(course.reference.ever.count > 70)
        #expect(course.reference.durable.count == 1)
        #expect(Self.calls > 150)
        #expect(try course.disk.names().contains { $0.hasPrefix("spare-") })
    }

    @Test(.timeLimit(.minutes(10)))
    func `a crash at any call of the disk loses nothing that was durable`() throws {
        for call in 1...Self.calls {
            for seed in UInt64(1)...4 {
                let disk = ModelDisk(seed: seed)
                disk.faults[call] = .crashes
                var course = Course(disk)
                course.run()
                #expect(course.disk.isDead)
                #expect(throws: Never.self, "call \(call), seed \(seed)") {
                    try Self.check(course.reference, disk.crash())
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a process that ends at any call of the disk leaves nothing that looks like damage`()
        throws
    {
        for call in 1...Self.calls {
            for seed in UInt64(1)...4 {
                let disk = ModelDisk(seed: seed)
                disk.faults[call] = .crashes
                var course = Course(disk)
                course.run()
                #expect(throws: Never.self, "call \(call), seed \(seed)") {
                    try Self.check(course.reference, disk.endOfProcess(), mayDoubt: false)
                }
            }
        }
    }

    /// It has more than a page, and begins with the segment.
    @Test func `a process that ends while it writes a first record leaves no damage`() throws {
        for call in 1...20 {
            for seed in UInt64(1)...20 {
                let disk = ModelDisk(seed: seed)
                let spool = try Spool(disk, configuration: .small)
                disk.faults[disk.calls + call] = .crashes
                for payload in [LimitTests.noise(4090, seed: 1), [7]] {
                    guard case .appended = try? spool.append(payload) else { continue }
                    _ = try? spool.sync()
                }
                let next = try Spool(disk.endOfProcess(), configuration: .small)
                #expect(next.recovery.setAside.isEmpty, "call \(call), seed \(seed)")
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a crash during the recovery from a crash loses nothing either`() throws {
        for call in stride(from: 1, through: Self.calls, by: 3) {
            let disk = ModelDisk(seed: 5)
            disk.faults[call] = .crashes
            var course = Course(disk)
            course.run()
            var found = disk.crash()
            for second in 1...12 {
                found.faults[second] = .crashes
                _ = try? Spool(found, configuration: .small)
                found = found.crash()
            }
            #expect(throws: Never.self, "call \(call)") {
                try Self.check(course.reference, found)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [ENOSPC, EMFILE, EIO, ESTALE])
    func `an error at any call of the disk loses nothing that was durable`(errno: Int32) throws {
        for call in 1...Self.calls {
            for seed in UInt64(1)...4 {
                let disk = ModelDisk(seed: seed)
                disk.faults[call] = .fails(errno: errno)
                var course = Course(disk)
                course.run()
                #expect(throws: Never.self, "call \(call), seed \(seed)") {
                    try Self.check(course.reference, disk.crash())
                }
            }
        }
    }
}
