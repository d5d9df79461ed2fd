internal import Glibc

/// All files of a spool, looked at.
struct Survey: Sendable {
    /// A segment's file; nil contents when it could not be opened at all.
    struct Entry: Sendable {
        let number: UInt64
        var contents: SegmentContents?
        var openError: DiskError?
    }

    /// By number.
    private(set) var segments: [Entry] = []
    private(set) var spares: [(number: UInt64, bytes: Int)] = []
    private(set) var setAside: [(number: UInt64, bytes: Int)] = []

    /// Reads every segment whole, one after the other.
    ///
    /// - Throws: what tells nothing of a segment, such as a lack of descriptors or of permission,
    ///   names that can't be read, and records of a later version.
    init(_ disk: some Disk) throws(SpoolError) {
        let names: [String]
        do { names = try disk.names() } catch { throw .disk(error) }
        for name in names.compactMap(SegmentName.init).sorted(by: { $0.number < $1.number }) {
            switch name {
            case .segment(let number):
                if let entry = try Self.look(at: number, on: disk) { segments.append(entry) }
            case .spare(let number):
                spares.append((number, Self.bytes(of: name, on: disk)))
            case .setAside(let number):
                setAside.append((number, Self.bytes(of: name, on: disk)))
            }
        }
        var contents: [Int: SegmentContents] = [:]
        for (index, entry) in segments.enumerated() { contents[index] = entry.contents }
        Self.applyClaims(&contents, numbers: segments.map(\.number))
        for (index, contents) in contents { segments[index].contents = contents }
    }

    /// nil when the file went away meanwhile, as it may when another process owns the spool.
    private static func look(
        at number: UInt64, on disk: some Disk
    ) throws(SpoolError) -> Entry? {
        let name = SegmentName.segment(number).text
        do {
            let contents = try contents(of: name, number: number, on: disk)
            if let version = contents.unknownVersion {
                throw SpoolError.unknownVersion(segment: name, version: version)
            }
            return Entry(number: number, contents: contents)
        } catch let error as SpoolError {
            throw error
        } catch let error as DiskError {
            if error.errno == ENOENT { return nil }
            if !error.meansLoss { throw .disk(error) }
            return Entry(number: number, openError: error)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    static func contents(
        of name: String, number: UInt64, on disk: some Disk
    ) throws(DiskError) -> SegmentContents {
        let file = try disk.open(name)
        defer { file.close() }
        return try SegmentImage(file).scan(number: number)
    }

    private static func bytes(of name: SegmentName, on disk: some Disk) -> Int {
        guard let file = try? disk.open(name.text) else { return 0 }
        defer { file.close() }
        return (try? file.byteCount()) ?? 0
    }

    /// What a segment's records say of the segment before it; by index, as are the numbers.
    static func applyClaims(_ contents: inout [Int: SegmentContents], numbers: [UInt64]) {
        for later in contents.values where later.previousEnd > 0 {
            guard let before = numbers.firstIndex(of: later.previousSegment),
                let end = contents[before]?.durableEnd
            else { continue }
            contents[before]?.durableEnd = max(end, later.previousEnd)
        }
    }
}

extension DiskError {
    /// What the file held can't be had. All other errors say more of the process, its rights and
    /// its limits than of the file, which may be as good as ever.
    var meansLoss: Bool {
        [EIO, ENOENT, ENXIO, ENODATA, EBADMSG, EUCLEAN, ESTALE].contains(errno)
    }

    var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }
}
