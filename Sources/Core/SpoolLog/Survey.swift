internal import Glibc

/// All files of a spool, examined.
struct Survey: Sendable {
    /// A segment's file, or one that was moved aside.
    struct Entry: Sendable {
        let number: UInt64
        let isSetAside: Bool
        var contents: SegmentContents
    }

    /// In number order.
    private(set) var segments: [Entry] = []
    private(set) var spares: [(number: UInt64, bytes: Int)] = []

    /// Reads all segments completely, one after the other.
    ///
    /// - Throws: when names can't be read; for records of another version.
    init(_ disk: some Disk) throws(SpoolError) {
        let names: [String]
        do { names = try disk.names() } catch { throw .disk(error) }
        for name in names.compactMap(SegmentName.init).sorted(by: { $0.number < $1.number }) {
            switch name {
            case .segment, .setAside:
                if let entry = try Self.look(at: name, on: disk) { segments.append(entry) }
            case .spare(let number):
                spares.append((number, Self.bytes(of: name, on: disk)))
            }
        }
        var contents = [Int: SegmentContents](
            uniqueKeysWithValues: segments.enumerated().map { ($0.offset, $0.element.contents) })
        Self.applyClaims(&contents, numbers: segments.map(\.number))
        for (index, contents) in contents { segments[index].contents = contents }
    }

    /// Returns nil when the file was removed in the meantime, by another process that owns the
    /// spool. Any other error only means that the file can't be read now.
    private static func look(
        at name: SegmentName, on disk: some Disk
    ) throws(SpoolError) -> Entry? {
        let contents: SegmentContents
        do throws(DiskError) {
            contents = try Self.contents(of: name.text, number: name.number, on: disk)
        } catch {
            if error.isGone { return nil }
            contents = .unread(bytes: 0, error)
        }
        if case .segment = name, let version = contents.unknownVersion {
            throw SpoolError.unknownVersion(segment: name.text, version: version)
        }
        var isSetAside = false
        if case .setAside = name { isSetAside = true }
        return Entry(number: name.number, isSetAside: isSetAside, contents: contents)
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

    /// Applies what each segment's headers say about the previous segment. Keys are indexes of
    /// `numbers`.
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
    /// There is no such file. Any other error may pass.
    var isGone: Bool { errno == ENOENT }

    /// The error concerns the process and its limits, not the file.
    var concernsProcess: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR].contains(errno) }

    var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }
}
