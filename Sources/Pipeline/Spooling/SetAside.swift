internal import Glibc

/// A damaged segment, kept under the name `bad-….lz4`. If its bytes are found intact later, it
/// comes back as a segment; it is never removed here.
public struct SetAside: Sendable, Equatable {
    /// Why a segment is not reused.
    public enum Reason: Sendable, Equatable {
        /// Records in these bytes were durable and now fail their checksums. All other records are
        /// replayed first.
        case damaged([Range<Int>])
        /// The file ends after so many bytes and was longer: nothing in this program cuts it so
        /// short. The lost bytes may have been durable.
        case cutShort(bytes: Int)
        /// Either these bytes were durable and changed since, or a crash interrupted their write:
        /// the two can't be told apart.
        case doubtful([Range<Int>])

        /// Whether durable records are known to be lost; false if they only may be.
        public var isCertain: Bool {
            switch self {
            case .damaged: true
            case .cutShort, .doubtful: false
            }
        }
    }

    /// The name under which the segment was found.
    public let name: String
    /// The damage.
    public let reason: Reason
    /// Valid records in it, which are replayed before it is moved.
    public let records: Int
}

/// A file that is still to be removed or moved aside.
struct Leftover {
    enum Intent { case remove, moveAside }

    let name: SegmentName
    let bytes: Int
    let intent: Intent

    /// Tries it; returns true when it is done or the file no longer exists.
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

    /// Numbers are never reused, so a file that has the new name already is the same segment, moved
    /// before a crash that restored its first name.
    private func moveAside(on disk: some Disk) throws(DiskError) {
        do {
            try disk.rename(name.text, to: SegmentName.setAside(name.number).text)
        } catch {
            guard error.errno == EEXIST else { throw error }
            try disk.remove(name.text)
        }
    }
}
