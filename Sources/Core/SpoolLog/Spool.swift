/// An append log in a directory, for records that can't be stored at their destination yet.
///
/// What a caller may rely on:
/// - A record is durable once the ``sync()`` after its `append` has returned. ``next(after:)``
///   returns it, bytes and order unchanged, until it is released, in this run of the program or the
///   next.
/// - A crash may lose a release: the record is then returned again.
/// - After an error no durable record is lost, and the spool stays usable.
///
/// Not thread-safe: it has one owner, such as a queue. Every call may wait for the disk.
public final class Spool<Storage: Disk> {
    let disk: Storage
    let configuration: SpoolConfiguration
    /// What opening the spool found.
    public let recovery: SpoolRecovery

    /// In number order. Records are appended to the last one only.
    var segments: [Segment<Storage.File>] = []
    /// The segment that is written: the last of ``segments``. ``buffer`` holds its unwritten end.
    var active: Segment<Storage.File>?
    /// Segments that were filled since the last sync.
    var filled: [Segment<Storage.File>] = []
    /// The segment whose file is open for reading only.
    var reading: Segment<Storage.File>?
    var buffer = WriteBuffer()
    /// Numbers of emptied segments that have the configured size.
    var spares: [UInt64] = []
    /// Files that could not be removed or moved aside yet.
    var leftovers: [Leftover] = []
    var setAside = (count: 0, bytes: 0)
    var recordsUnreadable = 0
    /// Higher than any number used since the directory was last empty.
    var nextNumber: UInt64
    /// The last segment written and the end of its durable records, for the next segment's headers.
    var previous: (number: UInt64, end: Int)
    /// Why the records since the last sync can't be kept.
    var groupFailure: DiskError?
    var isOpen = true

    /// Opens the spool and reads all its segments, which takes about a second a gibibyte. Nothing
    /// is appended to a segment that was found.
    ///
    /// - Parameter takesBackDamaged: segments that were moved aside because of damage come back
    ///   too, so that whatever can be read of them is returned once more. Intact ones always do.
    /// - Throws: ``SpoolError/unknownVersion(segment:version:)``, and errors that keep it from
    ///   listing the directory. Torn, damaged or unreadable segments are reported in ``recovery``.
    public init(
        _ disk: Storage, configuration: SpoolConfiguration, takesBackDamaged: Bool = false
    ) throws(SpoolError) {
        configuration.check()
        self.disk = disk
        self.configuration = configuration
        let survey = try Survey(disk)
        var found = Recovered<Storage>(disk, configuration, takesBackDamaged: takesBackDamaged)
        found.take(survey)
        recovery = found.recovery
        segments = found.segments
        spares = found.spares
        leftovers = found.leftovers
        setAside = found.setAside
        nextNumber = found.nextNumber
        previous = found.previous
    }

    /// The state in numbers. Takes one small read at most.
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
        figures.unread = segments.count(where: \.isUnread)
        figures.recordsUnreadable = recordsUnreadable
        return figures
    }

    /// Includes files that could not be removed yet.
    var bytesOnDisk: Int {
        segments.reduce(0) { $0 + $1.bytes } + leftovers.reduce(0) { $0 + $1.bytes }
            + spares.count * configuration.segmentBytesMax + setAside.bytes
    }

    /// Closes all files and forgets records that were not synced. The spool must not be used again.
    /// The disk keeps its lock for as long as the disk object lives.
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
    /// Makes all records durable that were appended since the last sync.
    ///
    /// - Throws: then none of them is promised, and ``next(after:)`` returns none of them in this
    ///   run of the program. A failed sync is not retried on the same file: the segment ends with
    ///   its last durable record, and later records go to another segment.
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

    /// Checks that the next process would find what is written now.
    ///
    /// - Throws: when the disk's directory is no longer where it was opened. Its records can still
    ///   be read here if their files are open or the directory was only moved.
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
            // The file stays open for its durable records: its name may be gone.
            if segment.isDrained { dispose(segment) }
        }
    }
}
