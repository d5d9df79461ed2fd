internal import Glibc

/// A segment that lost records and is kept for inspection, out of the way, under the name
/// `bad-….lz4`. Nothing removes it but an operator.
public struct SetAside: Sendable, Equatable {
    /// Why a segment is not used again.
    public enum Reason: Sendable, Equatable {
        /// These bytes hold records that were durable and now fail their checksums. All other
        /// records are offered for replay first.
        case damaged([Range<Int>])
        /// The file ends after so many bytes, and had more: nothing here cuts it so short. What it
        /// lost may have been durable.
        case cutShort(bytes: Int)
        /// These bytes were durable and changed since, or a crash cut off their write: that can't be
        /// told.
        case doubtful([Range<Int>])
        /// The disk could not read all of it. What it could is offered for replay first.
        case unreadable(DiskError)

        /// Whether records that were durable are known to be lost; if not, they may be.
        public var isCertain: Bool {
            switch self {
            case .damaged, .unreadable: true
            case .cutShort, .doubtful: false
            }
        }
    }

    /// The name under which the segment was found.
    public let name: String
    /// What is wrong with it.
    public let reason: Reason
    /// Valid records in it, which are replayed before it is moved.
    public let records: Int
}

/// A file that the disk would not let go of yet.
struct Leftover {
    enum Intent { case remove, moveAside }

    let name: SegmentName
    let bytes: Int
    let intent: Intent

    /// Whether it is dealt with, or gone by itself.
    func settle(on disk: some Disk) -> Bool {
        do {
            switch intent {
            case .remove: try disk.remove(name.text)
            case .moveAside: try moveAside(on: disk)
            }
            return true
        } catch {
            return error.errno == ENOENT
        }
    }

    /// Numbers are never used again: what has the name already is the same segment, moved before a crash
    /// that brought its first name back.
    private func moveAside(on disk: some Disk) throws(DiskError) {
        do {
            try disk.rename(name.text, to: SegmentName.setAside(name.number).text)
        } catch {
            guard error.errno == EEXIST else { throw error }
            try disk.remove(name.text)
        }
    }
}
