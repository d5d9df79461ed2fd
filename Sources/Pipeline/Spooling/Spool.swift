/// An append log in a directory, of records that wait for their place to come back.
///
/// What a caller may rely on:
/// - A record is kept once ``sync()`` came back after its `append`,
///   and comes out of ``next(after:)`` until it was released, in this run of the program or the
///   next, bytes and order unchanged.
/// - A release may be forgotten by a crash: then the record comes again.
/// - After an error nothing that was durable is lost, and the spool can be used on.
///
/// Not for several threads: one owner, such as a queue. Every call may wait for the disk.
public final class Spool<Storage: Disk> {
    let disk: Storage
    let configuration: SpoolConfiguration
    /// What was found when it was opened.
    public let recovery: SpoolRecovery

    /// By number. All but the last are only read.
    var segments: [Segment<Storage.File>] = []
    /// The one that is written, the last of ``segments``; it holds what ``buffer`` holds.
    var active: Segment<Storage.File>?
    /// Segments that were filled since the last sync.
    var filled: [Segment<Storage.File>] = []
    /// The one whose file is open only to be read.
    var reading: Segment<Storage.File>?
    var buffer = WriteBuffer()
    /// Numbers of emptied segments of the right size.
    var spares: [UInt64] = []
    /// Files that could not be removed or moved aside yet.
    var leftovers: [Leftover] = []
    var setAside = (count: 0, bytes: 0)
    var recordsUnreadable = 0
    /// Higher than any number that a file had since the directory was last empty.
    var nextNumber: UInt64
    /// The segment written last and where its durable records end, for the next one's headers.
    var previous: (number: UInt64, end: Int)
    /// Why the group since the last sync can't be kept any more.
    var groupFailure: DiskError?
    var isOpen = true

    /// Opens the spool and looks at all that is there, which takes about a second a gibibyte. No
    /// segment is written on: what a crash left of the last one stays as it is.
    ///
    /// - Throws: ``SpoolError/unknownVersion(segment:version:)`` and what keeps it from looking at
    ///   all. Segments that are torn, damaged or unreadable are told of in ``recovery``.
    public init(_ disk: Storage, configuration: SpoolConfiguration) throws(SpoolError) {
        configuration.check()
        self.disk = disk
        self.configuration = configuration
        let survey = try Survey(disk)
        var found = Recovered<Storage>(disk, configuration)
        found.take(survey)
        recovery = found.recovery
        segments = found.segments
        spares = found.spares
        leftovers = found.leftovers
        setAside = found.setAside
        nextNumber = found.nextNumber
        previous = found.previous
    }

    /// Its state in numbers. Costs one small read at most.
    public var figures: SpoolFigures {
        var figures = SpoolFigures()
        figures.bytesOnDisk = bytesOnDisk
        for segment in segments {
            figures.records += segment.waiting.records
            figures.tally += segment.waiting.tally
        }
        figures.oldestTime = oldestTime
        figures.segments = segments.count
        figures.spares = spares.count
        figures.setAside = setAside.count
        figures.recordsUnreadable = recordsUnreadable
        return figures
    }

    /// Files that are to be removed count until they are.
    var bytesOnDisk: Int {
        segments.reduce(0) { $0 + $1.bytes } + leftovers.reduce(0) { $0 + $1.bytes }
            + spares.count * configuration.segmentBytesMax + setAside.bytes
    }

    /// Closes all files; what was appended and not synced is forgotten. The spool is not used
    /// again. The disk's lock is held as long as the disk is.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        for segment in segments {
            segment.file?.close()
            segment.file = nil
        }
    }
}

extension Spool {
    /// Makes everything durable that was appended since the last sync.
    ///
    /// - Throws: none of it is promised then, and none of it comes out of ``next(after:)`` in
    ///   this run of the program. A sync that failed is not tried again on the same file: the
    ///   segment ends with its last durable record, and later records go to another.
    public func sync() throws(SpoolError) {
        precondition(isOpen, "BUG: the spool is closed")
        var touched = filled
        if let active, active.pending.records > 0 { touched.append(active) }
        guard !touched.isEmpty else {
            groupFailure = nil
            return
        }
        do throws(DiskError) {
            if let groupFailure { throw groupFailure }
            if let file = active?.file { try buffer.write(to: file) }
            for segment in touched { try segment.file?.sync() }
            try checkNames(of: touched)
        } catch {
            abandon(touched)
            throw .disk(error)
        }
        var before: Segment<Storage.File>?
        for segment in touched {
            segment.synced(before: before)
            before = segment
        }
        for segment in filled { closeFile(of: segment) }
        filled = []
    }

    /// Whether the next process would find what is written now.
    ///
    /// - Throws: when the disk's directory is no longer where it was opened. What it holds can still
    ///   be read here, as far as its files are open or were only moved.
    public func check() throws(DiskError) { try disk.checkPath() }

    private func checkNames(of touched: [Segment<Storage.File>]) throws(DiskError) {
        try disk.checkPath()
        for segment in touched {
            if let file = segment.file { try disk.checkName(segment.name, of: file) }
        }
    }

    private func abandon(_ touched: [Segment<Storage.File>]) {
        groupFailure = nil
        filled = []
        active = nil
        buffer.restart(keepingBytes: configuration.bufferBytesMax)
        for segment in touched {
            segment.abandon()
            previous = (segment.number, segment.end)
            // What was durable stays open: its name may be gone, and then nobody can open it again.
            if segment.isDrained { dispose(segment) }
        }
    }
}

/// Limits of a spool. Nothing in it grows past them.
public struct SpoolConfiguration: Sendable, Equatable {
    /// Bytes of a segment file, all set aside when it is made. Larger ones cost fewer files and
    /// more space that waits for its last record to be replayed. Default 32 MiB.
    public var segmentBytesMax = 32 << 20

    /// Bytes of all files on disk: segments, spares and segments that were moved aside. A segment
    /// that would exceed them is not made, and the spool is full. Default 4 GiB.
    public var bytesMax = 4 << 30

    /// Bytes that making a segment must leave free on the file system; they are for others, the
    /// database among them. Segments that exist are used up whatever is free. Default 512 MiB.
    public var freeBytesMin = 512 << 20

    /// Emptied segments that are kept to be written again, which is faster than making new ones
    /// and needs no space when there is none. Default 2.
    public var spareSegmentsMax = 2

    /// Bytes of one record before compression. What a corrupt file can make a reader allocate is
    /// bounded by it. Default 24 MiB.
    public var recordBytesMax = 24 << 20

    /// Compressed bytes that wait in memory for the next sync before they are written early.
    /// Default 1 MiB.
    public var bufferBytesMax = 1 << 20

    /// All defaults.
    public init() {}
}

extension SpoolConfiguration {
    /// The greatest record, in the worst case incompressible, fits into a segment.
    func check() {
        precondition(
            segmentBytesMax % WriteBuffer.pageBytes == 0 && segmentBytesMax > 0
                && segmentBytesMax <= SegmentImage.bytesMax,
            "BUG: segmentBytesMax=\(segmentBytesMax)")
        precondition(
            recordBytesMax >= 0 && recordBytesMax <= RecordHeader.payloadBytesMax
                && 2 * RecordHeader.byteCount
                    + PayloadCodec.frameBytesMax(payloadBytes: recordBytesMax) <= segmentBytesMax,
            "BUG: recordBytesMax=\(recordBytesMax)")
        precondition(
            bytesMax >= segmentBytesMax && freeBytesMin >= 0 && spareSegmentsMax >= 0
                && bufferBytesMax > 0, "BUG: \(self)")
    }
}

/// Why a spool can't do what was asked. Being full is none of these.
public enum SpoolError: Error, Equatable, Sendable {
    /// The disk refused an operation.
    case disk(DiskError)
    /// Another process has the directory; its id, if it left one.
    case locked(path: String, processID: Int32?)
    /// A segment was written by a version of the program that is not this one.
    case unknownVersion(segment: String, version: Int)
    /// More than ``SpoolConfiguration/recordBytesMax``; nothing was kept.
    case recordTooLarge(bytes: Int, bytesMax: Int)
    /// No record stands there: it never did, or its segment is gone.
    case unknownRecord(RecordID)
}

/// The state of a spool in numbers, for metrics and `status`.
public struct SpoolFigures: Sendable, Equatable {
    /// Bytes of all its files on disk, spares and segments moved aside included.
    public internal(set) var bytesOnDisk = 0
    /// Durable records that are not released.
    public internal(set) var records = 0
    /// Their units by kind: readings, and what else was appended.
    public internal(set) var tally = UnitTally()
    /// When the oldest of the segments still in use got its first record, in microseconds since
    /// 2000-01-01 UTC; nil when nothing is left to replay.
    public internal(set) var oldestTime: Int64?
    /// Segments with records or in use.
    public internal(set) var segments = 0
    /// Emptied segments that wait to be used again.
    public internal(set) var spares = 0
    /// Segments moved aside, in this run of the program or before.
    public internal(set) var setAside = 0
    /// Durable records that could not be read back when it was their turn. Each of them is a
    /// loss; the segment is kept for inspection.
    public internal(set) var recordsUnreadable = 0

    /// Units of all kinds.
    public var units: Int { tally.total }
}
