internal import Glibc

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
