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
