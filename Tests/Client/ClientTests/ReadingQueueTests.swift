import Foundation
import TestSupport
import Testing

@testable import SluiceClient

/// The queue on the disk after crashes, on damaged disks, when it is full and among processes.
@Suite(.timeLimit(.minutes(5))) final class ReadingQueueTests {
    private let directory = URL(fileURLWithPath: TestCluster.freshDirectory())
    private static let device = Data(#"{"device_id":"d"}"#.utf8)

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private static func reading(_ number: Int) -> Data {
        Data(#"{"t":\#(number),"type":"vital","code":1,"val":\#(number)}"#.utf8)
    }

    private static func readings(_ numbers: Range<Int>) -> [Data] { numbers.map(reading) }

    private func queue(_ change: (inout ReadingQueue.Limits) -> Void = { _ in }) throws
        -> ReadingQueue
    {
        var limits = ReadingQueue.Limits()
        change(&limits)
        return try ReadingQueue(directory: directory, limits: limits)
    }

    /// Removes all readings, as a sender does.
    private func drain(_ queue: ReadingQueue) throws -> [Data] {
        var all: [Data] = []
        while let segment = try queue.oldest(except: []) {
            all += segment.text.readings
            try queue.delete(segment)
        }
        return all
    }

    private func files(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil
        ).filter { $0.path.hasSuffix(suffix) }
    }

    private func clear() throws {
        for file in try files("") where file.lastPathComponent != "rejected" {
            try FileManager.default.removeItem(at: file)
        }
    }

    /// A process was killed, or the power failed, after any byte of an append.
    @Test(arguments: [false, true])
    func `after a torn append the acknowledged readings are there, and no part of one`(
        appendsAfter: Bool
    ) throws {
        let queue = try queue()
        try queue.append(Self.readings(0..<2), metadata: Self.device)
        let file = try #require(try files(".open").first)
        let acknowledged = try Data(contentsOf: file).count
        try queue.append(Self.readings(2..<5), metadata: Self.device)
        let whole = try Data(contentsOf: file)
        for length in 0...whole.count {
            try clear()
            try whole.prefix(length).write(to: file)
            if appendsAfter {
                try queue.append(Self.readings(5..<6), metadata: Self.device)
            }
            var found = try drain(queue)
            if appendsAfter { #expect(found.popLast() == Self.reading(5)) }
            #expect(found == Self.readings(0..<found.count), "\(length) bytes")
            if length >= acknowledged { #expect(found.count >= 2, "\(length) bytes") }
            #expect(try queue.state() == QueueState(), "\(length) bytes")
        }
    }

    @Test func `a changed byte costs at most its readings, which are counted`() throws {
        let queue = try queue()
        let all = Self.readings(0..<4)
        try queue.append(all, metadata: Self.device)
        let file = try #require(try files(".open").first)
        let whole = try Data(contentsOf: file)
        let headerBytes = SegmentText.line(Self.device).count
        for place in whole.indices {
            try clear()
            var bytes = whole
            bytes[place] ^= 1 << UInt8(place % 8)
            try bytes.write(to: file)
            let found = try drain(queue)
            let state = try queue.state()
            #expect(found.allSatisfy(all.contains))
            if place < headerBytes {
                #expect(found.isEmpty && state.rejectedBatches > 0)
            } else if place < whole.count - 1 {
                #expect(found.count >= 2)
                // A lost line feed makes one line of two.
                #expect(state.counts.damaged >= 1 || state.rejectedBatches > 0)
            }
            _ = try queue.requeueRejected()
        }
    }

    @Test func `a batch is the same bytes at each attempt, also in a new process`() throws {
        try queue().append(Self.readings(0..<3), metadata: Self.device)
        let first = try #require(try queue().oldest(except: []))
        try queue().append(Self.readings(3..<5), metadata: Self.device)
        let again = try #require(try queue().oldest(except: []))
        #expect(again.name == first.name)
        #expect(again.text.body == first.text.body)
        let body = try JSONSerialization.jsonObject(with: again.text.body) as? [String: Any]
        #expect((body?["metadata"] as? [String: String]) == ["device_id": "d"])
        #expect((body?["data"] as? [[String: Any]])?.count == 3)
    }

    @Test func `readings of several devices in turn share few batches, each with its metadata`()
        throws
    {
        let queue = try queue()
        let devices = (0..<20).map { Data(#"{"device_id":"\#($0)"}"#.utf8) }
        for number in 0..<60 {
            try queue.append([Self.reading(number)], metadata: devices[number % 3])
        }
        #expect(try files(".open").count == 3)
        for device in devices { try queue.append([Self.reading(60)], metadata: device) }
        #expect(try files(".open").count == 16)
        var found: [Data: [Data]] = [:]
        while let segment = try queue.oldest(except: []) {
            found[try #require(segment.text.metadata), default: []] += segment.text.readings
            try queue.delete(segment)
        }
        for (place, device) in devices.enumerated() {
            let earlier = place < 3 ? stride(from: place, to: 60, by: 3).map(Self.reading) : []
            #expect(found[device] == earlier + [Self.reading(60)])
        }
        #expect(try queue.isEmpty())
    }

    @Test func `after a crash between any two steps of a cut, each reading is there once`() throws {
        let queue = try queue()
        let all = Self.readings(0..<7)
        try queue.append(all, metadata: Self.device)
        let segment = try #require(try queue.oldest(except: []))
        let wholeFile = try #require(try files(".ready").first)
        let whole = try Data(contentsOf: wholeFile)
        try queue.append([Self.reading(7)], metadata: Self.device)
        let later = try #require(try files(".open").first)
        let laterBytes = try Data(contentsOf: later)
        try queue.cut(segment)
        let halves = try files(".ready").map { ($0, try Data(contentsOf: $0)) }
        #expect(halves.count == 2)
        for (hasPart, halvesThere, hasWhole) in [
            (true, 0, true), (false, 1, true), (true, 1, true), (false, 2, true), (false, 2, false),
        ] {
            try clear()
            try laterBytes.write(to: later)
            if hasWhole { try whole.write(to: wholeFile) }
            for (file, bytes) in halves.prefix(halvesThere) { try bytes.write(to: file) }
            if hasPart {
                let name = segment.name.halves[1].text + ".part"
                try Data("torn".utf8).write(to: directory.appendingPathComponent(name))
            }
            #expect(try drain(queue) == all + [Self.reading(7)])
        }
    }

    @Test func `a queue that refuses keeps what it has`() throws {
        let queue = try queue {
            $0.bytesMax = 600
            $0.segmentBytesMax = 150
        }
        var accepted = 0
        let full = #expect(throws: QueueError.self) {
            while accepted < 100 {
                try queue.append([Self.reading(accepted)], metadata: Self.device)
                accepted += 1
            }
        }
        guard case .full(let bytes, bytesMax: 600) = full else {
            Issue.record("\(String(describing: full))")
            return
        }
        #expect(bytes <= 600 && accepted > 3)
        #expect(try drain(queue) == Self.readings(0..<accepted))
    }

    @Test func `a queue that drops loses the oldest, counted, but never what is being sent`() throws
    {
        let queue = try queue {
            $0.bytesMax = 600
            $0.segmentBytesMax = 150
            $0.whenFull = .dropOldest
        }
        for number in 0..<3 { try queue.append([Self.reading(number)], metadata: Self.device) }
        let beingSent = try #require(try queue.oldest(except: []))
        for number in 3..<40 { try queue.append([Self.reading(number)], metadata: Self.device) }
        let state = try queue.state()
        #expect(state.bytes <= 600 && state.counts.dropped > 0)
        #expect(state.readings + state.counts.dropped == 40)
        let first = beingSent.text.readings.count
        let found = try drain(queue)
        #expect(found.prefix(first) == beingSent.text.readings[...])
        #expect(
            found.dropFirst(first).elementsEqual(
                Self.readings(first..<40).suffix(found.count - first)))
    }

    @Test
    func `what can't be sent is refused with its position, and nothing of the call is queued`()
        throws
    {
        let queue = try queue()
        let notUTF8 = Data(#"{"a":""#.utf8) + [0xFF] + Data(#""}"#.utf8)
        let texts = ["[1]", "", "{\n}", "{,}", #"{"a":1},{"a":2}"#, #"{"a":1}}"#, #"{"a":NaN}"#]
        for bad in texts.map({ Data($0.utf8) }) + [notUTF8] {
            #expect(throws: QueueError.readingInvalid(index: 1)) {
                try queue.append([Self.reading(0), bad], metadata: Self.device)
            }
        }
        let bytesMax = 128 << 10
        let tooLong = Data("{\(String(repeating: " ", count: bytesMax))}".utf8)
        #expect(
            throws: QueueError.readingTooLarge(index: 1, bytes: bytesMax + 2, bytesMax: bytesMax)
        ) {
            try queue.append([Self.reading(0), tooLong], metadata: Self.device)
        }
        #expect(throws: QueueError.metadataInvalid(bytes: 4, bytesMax: 4 << 10)) {
            try queue.append([Self.reading(0)], metadata: Data("null".utf8))
        }
        #expect(throws: QueueError.metadataInvalid(bytes: 5, bytesMax: 4 << 10)) {
            try queue.append([Self.reading(0)], metadata: Data("{},{}".utf8))
        }
        #expect(try queue.state() == QueueState())
    }

    @Test func `rejected batches are kept with their reason within their limit, and sent again`()
        throws
    {
        let queue = try queue { $0.rejectedBytesMax = 250 }
        for number in 0..<6 {
            try queue.append([Self.reading(number)], metadata: Self.device)
            let segment = try #require(try queue.oldest(except: []))
            try queue.reject(segment, reason: "422 number \(number)")
        }
        #expect(try queue.rejectionReasons() == ["422 number 3", "422 number 4", "422 number 5"])
        #expect(try queue.state().counts.rejected == 6)
        #expect(try queue.state().counts.dropped == 3)
        #expect(try queue.oldest(except: []) == nil)
        #expect(try queue.requeueRejected() == 3)
        #expect(try drain(queue) == Self.readings(3..<6))
    }

    @Test func `several writers and senders at once lose nothing and take nothing twice`()
        async throws
    {
        let (writers, each) = (4, 60)
        let done = try await withThrowingTaskGroup(of: [Data].self) { group in
            for writer in 0..<writers {
                let queue = try queue { $0.segmentBytesMax = 500 }
                group.addTask {
                    for number in 0..<each {
                        try queue.append(
                            [Self.reading(writer * each + number)], metadata: Self.device)
                    }
                    return []
                }
            }
            for _ in 0..<2 {
                let queue = try queue()
                group.addTask {
                    var found: [Data] = []
                    for _ in 0..<300 {
                        if let right = try queue.claimSending(),
                            let segment = try queue.oldest(except: [])
                        {
                            found += segment.text.readings
                            try queue.delete(segment)
                            withExtendedLifetime(right) {}
                        }
                        await Task.yield()
                    }
                    return found
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let all = done + (try drain(try queue()))
        #expect(all.count == writers * each)
        #expect(Set(all) == Set(Self.readings(0..<writers * each)))
    }

    @Test func `gzip is read by Python, and Python's queue has the same rules`() async throws {
        let data = Data((0..<3000).flatMap { "reading \($0 % 100) ".utf8 })
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let file = directory.appendingPathComponent("data.gz")
        try #require(Gzip.compress(data)).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-B", Project.file("Tests/Client/ClientTests/client_tests.py").path,
            file.path,
        ]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file.path + ".out")) == data)
    }
}
