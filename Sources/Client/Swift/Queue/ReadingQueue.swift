public import Foundation

/// Readings on their way to a server, in files that survive the process and the device's power.
///
/// Everything is on the disk and each call locks the directory, so any number of threads and
/// processes may append to one queue, and one at a time sends.
///
/// - A call to append returns after `fsync`. If it throws, nothing of it is queued.
/// - Sending takes the oldest segment. A segment never changes once it is sent, so each attempt
///   carries the same readings with the same bytes, which the server stores once. It is deleted
///   after the server's 200 or 202. A crash before that sends it once more.
/// - Full: see ``WhenFull``.
///
/// Layout of the directory, the same as that of `sluice_client.py`:
///
/// ```
/// lock                        locked while files change
/// sender                      locked by the process that sends
/// counts                      {"damaged":0,"dropped":0,"rejected":0}
/// 1795818373208863.open       a segment that is appended to; see SegmentText for its lines
/// 1795818373102211.ready      a segment to be sent; -0 and -1 follow the number of its halves
/// rejected/….segment, ….reason
/// ```
///
/// Limits: a reading 128 KiB, a call 4 MiB, metadata 4 KiB; see ``Limits`` for the others.
public struct ReadingQueue: Sendable {
    /// What happens when the queue has reached its limit.
    public enum WhenFull: Sendable {
        /// ``QueueError/full(bytes:bytesMax:)``: the caller keeps the readings.
        case refuse
        /// The oldest segments that are not being sent are deleted and counted.
        case dropOldest
    }

    /// How much a queue may hold.
    public struct Limits: Sendable {
        /// Bytes of all segments that wait to be sent.
        public var bytesMax = 64 << 20
        /// Bytes of a segment, which is a batch: a longer one is not appended to.
        public var segmentBytesMax = 128 << 10
        /// Bytes of the rejected batches; the oldest are deleted and counted beyond it.
        public var rejectedBytesMax = 8 << 20
        /// What happens beyond `bytesMax`.
        public var whenFull = WhenFull.refuse

        /// With these defaults.
        public init() {}
    }

    static let readingBytesMax = 128 << 10
    static let appendBytesMax = 4 << 20
    static let metadataBytesMax = 4 << 10
    /// Segments that are appended to, one for each metadata: readings of several devices or users in
    /// turn must not make a batch each.
    private static let openMax = 16

    /// Where the files are.
    public let directory: URL
    private let limits: Limits

    /// Opens a queue, or makes an empty one.
    ///
    /// - Parameter directory: its own, on a local file system. On iOS not in an app group: the
    ///   system ends an app that is suspended while it holds a lock there.
    /// - Throws: an error of `FileManager` if the directory can't be created.
    public init(directory: URL, limits: Limits = Limits()) throws {
        self.directory = directory
        self.limits = limits
        try FileManager.default.createDirectory(
            at: directory.appendingPathComponent("rejected"), withIntermediateDirectories: true)
        // The directory must survive a power failure too, and those above it: a process may have
        // been killed after it had made some of them. Not all of them can be read.
        var parent = directory.absoluteURL.standardizedFileURL
        while parent.path != "/" {
            parent.deleteLastPathComponent()
            try? DiskFile.synchronizeDirectory(parent.path)
        }
    }

    // MARK: Appending

    /// Queues readings. Returns when they are on the disk.
    ///
    /// - Parameters:
    ///   - readings: JSON objects without line feeds, UTF-8, as in `data` of a batch. They are sent
    ///     byte for byte.
    ///   - metadata: `metadata` of their batch, such as `{"device_id":"watch-7"}`.
    /// - Throws: ``QueueError``.
    public func append(_ readings: [Data], metadata: Data) throws {
        guard metadata.count <= Self.metadataBytesMax, Self.isObject(metadata) else {
            throw QueueError.metadataInvalid(
                bytes: metadata.count, bytesMax: Self.metadataBytesMax)
        }
        var lines = Data()
        for (index, reading) in readings.enumerated() {
            guard reading.count <= Self.readingBytesMax else {
                throw QueueError.readingTooLarge(
                    index: index, bytes: reading.count, bytesMax: Self.readingBytesMax)
            }
            guard Self.isObject(reading) else { throw QueueError.readingInvalid(index: index) }
            lines += SegmentText.line(reading)
        }
        guard lines.count <= Self.appendBytesMax else {
            throw QueueError.appendTooLarge(bytes: lines.count, bytesMax: Self.appendBytesMax)
        }
        if lines.isEmpty { return }
        try locked { try append(lines, header: SegmentText.line(metadata)) }
    }

    private static func isObject(_ text: Data) -> Bool {
        text.first == UInt8(ascii: "{") && text.last == UInt8(ascii: "}")
            && !text.contains(UInt8(ascii: "\n")) && String(data: text, encoding: .utf8) != nil
            && (try? JSONSerialization.jsonObject(with: text)) != nil
    }

    private func append(_ lines: Data, header: Data) throws {
        try makeRoom(for: header.count + lines.count)
        let open = try names(".open")
        for name in open {
            let file = try DiskFile(path(name, ".open"))
            guard try file.read(from: 0, count: header.count) == header else { continue }
            let size = try repairedSize(file)
            if size + lines.count <= limits.segmentBytesMax {
                return try file.append(lines, after: size)
            }
            try seal(name)
        }
        if open.count >= Self.openMax { try seal(open[0]) }
        let path = path(try freshName(), ".open")
        do {
            // The name first: a process that is killed in between leaves an empty file, which
            // nobody appends to.
            let file = try DiskFile(path, makes: true)
            try DiskFile.synchronizeDirectory(directory.path)
            try file.append(header + lines, after: 0)
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
    }

    /// The size without a last line that was never finished, which is removed.
    private func repairedSize(_ file: DiskFile) throws -> Int {
        let size = try file.size()
        let end = try file.read(from: max(0, size - 1), count: 1)
        if end.first == UInt8(ascii: "\n") { return size }
        let whole = SegmentText.wholeBytes(try file.read(from: 0, count: size))
        try file.truncate(to: whole)
        return whole
    }

    /// From here on the segment does not change.
    private func seal(_ name: SegmentName) throws {
        try DiskFile.move(path(name, ".open"), to: path(name, ".ready"))
        try DiskFile.synchronizeDirectory(directory.path)
    }

    private func freshName() throws -> SegmentName {
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1e6))
        let last = (try names(".ready") + names(".open")).map(\.number).max() ?? 0
        return SegmentName(number: max(now, last + 1))
    }

    private func makeRoom(for more: Int) throws {
        if try usedBytes() + more <= limits.bytesMax { return }
        try finishCuts()
        var bytes = try usedBytes()
        var dropped = 0
        if limits.whenFull == .dropOldest {
            for name in try names(".ready") where bytes + more > limits.bytesMax {
                let file = try DiskFile(path(name, ".ready"))
                guard try file.lock(.exclusive, waits: false) else { continue }
                let size = try file.size()
                dropped += SegmentText(parsing: try file.read(from: 0, count: size)).readings.count
                try DiskFile.remove(path(name, ".ready"))
                bytes -= size
            }
        }
        if dropped > 0 { try count { $0.dropped += dropped } }
        guard bytes + more <= limits.bytesMax else {
            throw QueueError.full(bytes: bytes, bytesMax: limits.bytesMax)
        }
    }

    /// Of all segments.
    private func usedBytes() throws -> Int {
        try [".ready", ".open"].reduce(0) { sum, suffix in
            try names(suffix).reduce(sum) { $0 + size(path($1, suffix)) }
        }
    }

    // MARK: Sending

    /// The right to send, held until the result is released; nil if another process has it.
    func claimSending() throws -> DiskFile? {
        let file = try DiskFile(directory.appendingPathComponent("sender").path, makes: true)
        return try file.lock(.exclusive, waits: false) ? file : nil
    }

    /// The oldest segment but those; nil if there is none. Without another one, it is the oldest
    /// that was being appended to.
    func oldest(except held: Set<SegmentName>) throws -> Segment? {
        try locked {
            try finishCuts()
            while true {
                var name = try names(".ready").first { !held.contains($0) }
                if name == nil, let open = try names(".open").first {
                    try seal(open)
                    name = open
                }
                guard let name else { return nil }
                let file = try DiskFile(path(name, ".ready"))
                _ = try file.lock(.shared, waits: true)
                let text = SegmentText(parsing: try file.read(from: 0, count: try file.size()))
                let segment = Segment(name: name, text: text, file: file)
                if text.readings.isEmpty {
                    try discard(segment)
                } else if text.metadata == nil {
                    try moveAside(segment, reason: "the metadata is damaged")
                } else {
                    return segment
                }
            }
        }
    }

    /// Deletes a segment that the server has.
    func delete(_ segment: Segment) throws {
        try locked { try discard(segment) }
    }

    /// Replaces a segment of two readings or more by its halves.
    func cut(_ segment: Segment) throws {
        let readings = segment.text.readings
        precondition(readings.count >= 2, "BUG: readings=\(readings.count)")
        let middle = readings.count / 2
        try locked {
            for (name, half) in zip(
                segment.name.halves, [readings[..<middle], readings[middle...]])
            {
                let text = SegmentText(
                    metadata: segment.text.metadata ?? Data(), readings: Array(half))
                let part = path(name, ".part")
                let file = try DiskFile(part, makes: true)
                try file.truncate(to: 0)
                try file.append(text.bytes, after: 0)
                try DiskFile.move(part, to: path(name, ".ready"))
            }
            try DiskFile.synchronizeDirectory(directory.path)
            // While the whole exists, its halves don't count.
            try discard(segment)
        }
    }

    /// Moves a segment aside that must not be sent again as it is.
    func reject(_ segment: Segment, reason: String) throws {
        try locked { try moveAside(segment, reason: reason) }
    }

    private func discard(_ segment: Segment) throws {
        try DiskFile.remove(path(segment.name, ".ready"))
        if segment.text.damaged > 0 { try count { $0.damaged += segment.text.damaged } }
    }

    /// Removes what a crash during ``cut(_:)`` left.
    private func finishCuts() throws {
        for name in try names(".part") { try DiskFile.remove(path(name, ".part")) }
        let ready = try names(".ready")
        for name in ready where name.wholes.contains(where: Set(ready).contains) {
            try DiskFile.remove(path(name, ".ready"))
        }
    }

    // MARK: Rejected batches

    private func moveAside(_ segment: Segment, reason: String) throws {
        let name = segment.name.text
        try Data(reason.utf8).write(to: rejected(name + ".reason"))
        try DiskFile.move(path(segment.name, ".ready"), to: rejected(name + ".segment").path)
        try count { $0.rejected += segment.text.readings.count }
        var kept = try names(".segment", in: "rejected")
        var bytes = kept.reduce(0) { $0 + size(rejected($1.text + ".segment").path) }
        while bytes > limits.rejectedBytesMax, kept.count > 1 {
            let oldest = kept.removeFirst().text
            let content = try Data(contentsOf: rejected(oldest + ".segment"))
            bytes -= content.count
            try DiskFile.remove(rejected(oldest + ".segment").path)
            try DiskFile.remove(rejected(oldest + ".reason").path)
            try count { $0.dropped += SegmentText(parsing: content).readings.count }
        }
    }

    /// The reasons of the rejected batches, oldest first: the status and the beginning of the
    /// server's answer.
    public func rejectionReasons() throws -> [String] {
        try locked {
            try names(".segment", in: "rejected").map { name in
                let text = try? Data(contentsOf: rejected(name.text + ".reason"))
                return String(decoding: text ?? Data(), as: UTF8.self)
            }
        }
    }

    /// Queues the rejected batches again, after what was wrong has been put right.
    ///
    /// - Returns: the number of batches.
    @discardableResult
    public func requeueRejected() throws -> Int {
        try locked {
            let names = try names(".segment", in: "rejected")
            for name in names {
                let fresh = try freshName()
                try DiskFile.move(rejected(name.text + ".segment").path, to: path(fresh, ".ready"))
                try? DiskFile.remove(rejected(name.text + ".reason").path)
            }
            try DiskFile.synchronizeDirectory(directory.path)
            return names.count
        }
    }

    // MARK: State

    /// Whether nothing waits to be sent.
    public func isEmpty() throws -> Bool {
        try locked { try names(".ready").isEmpty && names(".open").isEmpty }
    }

    /// Reads all segments: for people and tests rather than for each append. What others change
    /// meanwhile may be missing.
    public func state() throws -> QueueState {
        var state = QueueState()
        let files = try locked {
            try finishCuts()
            state.rejectedBatches = try names(".segment", in: "rejected").count
            state.counts = counts()
            return try [".ready", ".open"].flatMap { suffix in
                try names(suffix).map { path($0, suffix) }
            }
        }
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file) else { continue }
            state.bytes += bytes.count
            state.readings += SegmentText(parsing: bytes).readings.count
        }
        return state
    }

    private var countsFile: URL { directory.appendingPathComponent("counts") }

    private func counts() -> QueueState.Counts {
        guard let data = try? Data(contentsOf: countsFile) else { return .init() }
        return (try? JSONDecoder().decode(QueueState.Counts.self, from: data)) ?? .init()
    }

    private func count(_ change: (inout QueueState.Counts) -> Void) throws {
        var counts = counts()
        change(&counts)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try encoder.encode(counts).write(to: countsFile, options: .atomic)
    }

    // MARK: Files

    /// Calls `body` while no other process or thread changes the files.
    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let file = try DiskFile(directory.appendingPathComponent("lock").path, makes: true)
        _ = try file.lock(.exclusive, waits: true)
        return try withExtendedLifetime(file) { try body() }
    }

    /// The segments with that suffix, oldest first.
    private func names(_ suffix: String, in folder: String = "") throws -> [SegmentName] {
        let path = folder.isEmpty ? directory.path : directory.appendingPathComponent(folder).path
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(suffix) }
            .compactMap { SegmentName($0.dropLast(suffix.count)) }
            .sorted()
    }

    private func path(_ name: SegmentName, _ suffix: String) -> String {
        directory.appendingPathComponent(name.text + suffix).path
    }

    private func rejected(_ file: String) -> URL {
        directory.appendingPathComponent("rejected").appendingPathComponent(file)
    }

    private func size(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
