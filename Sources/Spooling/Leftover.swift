internal import Glibc

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
            case .moveAside:
                try disk.rename(name.text, to: SegmentName.setAside(name.number).text)
            }
            return true
        } catch {
            return error.errno == ENOENT
        }
    }
}
