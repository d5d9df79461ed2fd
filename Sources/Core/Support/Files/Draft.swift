public import Glibc

/// A file that appears only when it is complete.
///
/// It is written beside its final path, in a draft that is removed with this object unless it was
/// published. After a crash the path has the old file or the new one, and a draft may be left; the
/// next draft of the same name overwrites it.
public final class Draft<Failure: FileError> {
    /// The final path.
    public let path: String
    /// The draft, open for writing.
    public let file: Descriptor<Failure>
    private var isMoved = false

    /// - Parameters:
    ///   - path: the final path; an existing file stays until the draft is published.
    ///   - suffix: added to the path for the draft's name.
    ///   - isLocked: a draft that another process is writing is not overwritten; then the failed
    ///     operation is `lock`, of the final path.
    public init(
        of path: String, suffix: String, mode: mode_t = 0o600, isLocked: Bool = false
    ) throws(Failure) {
        let file = try Descriptor<Failure>(
            path + suffix, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: mode)
        // A file that could be locked may already have been published, by a process that has just
        // ended.
        if isLocked, flock(file.number, LOCK_EX | LOCK_NB) != 0 || !Self.isNamed(file) {
            throw Failure(FileFailure(.lock, path, errno: EWOULDBLOCK))
        }
        guard ftruncate(file.number, 0) == 0 else {
            let code = errno
            unlink(file.path)
            throw Failure(FileFailure(.truncate, file.path, errno: code))
        }
        self.path = path
        self.file = file
    }

    deinit {
        if !isMoved { unlink(file.path) }
    }

    private static func isNamed(_ file: Descriptor<Failure>) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(file.number, &opened) == 0 && lstat(file.path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Syncs the file and gives it its path, then syncs the directory.
    ///
    /// The latter as far as possible (``NameSync``).
    /// - Parameter replacing: false: an older file stays.
    /// - Returns: false if an older file stays.
    @discardableResult
    public func publish(replacing: Bool = true) throws(Failure) -> Bool {
        try file.sync()
        guard (replacing ? rename(file.path, path) : link(file.path, path)) == 0 else {
            if !replacing, errno == EEXIST { return false }
            throw Failure(FileFailure(.rename, path, errno: errno))
        }
        // A draft that is a second name of a published file is not written again.
        if !replacing { unlink(file.path) }
        isMoved = true
        NameSync.parent(of: path)
        return true
    }
}
