import Glibc

/// Makes the data that the server appends to its tables reach the disk steadily.
///
/// PostgreSQL extends a table by writes into the page cache; none of its `…_flush_after` settings
/// covers them. Linux keeps the pages for half a minute (`vm.dirty_expire_centisecs`) and then
/// writes a whole file's pages at once. At 200 000 readings a second these are 600 MB, which fill
/// the disk's queue for a third of a second, and every COMMIT waits that long. This was measured on
/// ext4 without a journal; an ordered journal adds to it.
///
/// So the kernel is asked to begin writing changed files, a few times a second. Nothing waits for
/// this and it guarantees nothing: durability is left to the server.
///
/// - Files below ``bytesMin`` are left alone.
/// - Recently changed files are checked at each call, all of the cluster's files at every
///   ``surveyEvery``th. A check takes some microseconds a file.
public struct WritebackPacer: Sendable {
    /// How often ``pace()`` should be called.
    public static let interval: Duration = .milliseconds(250)
    static let bytesMin = 1 << 20
    static let surveyEvery = 8
    /// A file not written to for this long is checked in surveys only. If the time were shorter,
    /// a pause such as a locked table would be enough, and the writes of the two seconds between
    /// surveys would reach the disk at once.
    private static let coolAfterSeconds = 600

    private let directory: String
    /// Files that change, with their time of change at the last check.
    private var warm: [String: Moment] = [:]
    private var calls = 0

    /// A file's time of change.
    private struct Moment: Equatable {
        let seconds: Int
        let nanoseconds: Int
    }

    /// - Parameter directory: holds a directory for each database, as `base` does.
    init(directory: String) {
        self.directory = directory
    }

    /// Makes the kernel begin to write the files that changed since the last call.
    ///
    /// - Returns: the number of these files.
    @discardableResult
    public mutating func pace() -> Int {
        if calls % Self.surveyEvery == 0 { survey() }
        calls += 1
        var started = 0
        for (path, known) in warm {
            guard let (changed, bytes) = Self.look(path) else {
                warm[path] = nil
                continue
            }
            guard changed != known, bytes >= Self.bytesMin else { continue }
            warm[path] = changed
            if Self.startWriting(path) { started += 1 }
        }
        return started
    }

    /// Finds the files that change.
    private mutating func survey() {
        let now = time(nil)
        for database in ClusterFiles.list(directory) {
            let directory = "\(directory)/\(database)"
            for name in ClusterFiles.list(directory) {
                let path = "\(directory)/\(name)"
                guard let (changed, bytes) = Self.look(path) else { continue }
                if now - changed.seconds > Self.coolAfterSeconds {
                    warm[path] = nil
                } else if bytes >= Self.bytesMin, warm[path] == nil {
                    // A time that differs, so that the next check begins to write the file.
                    warm[path] = Moment(seconds: 0, nanoseconds: 0)
                }
            }
        }
    }

    private static func look(_ path: String) -> (changed: Moment, bytes: Int)? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return (
            Moment(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec),
            Int(status.st_size)
        )
    }

    /// `sync_file_range(2)`, which Swift's Glibc module lacks.
    private typealias SyncFileRange = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32
    private static let syncFileRange: SyncFileRange? = dlsym(nil, "sync_file_range").map {
        unsafeBitCast($0, to: SyncFileRange.self)
    }
    /// `SYNC_FILE_RANGE_WRITE`: begins to write dirty pages and waits for nothing.
    private static let write: UInt32 = 2

    private static func startWriting(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        return syncFileRange?(file, 0, 0, write) == 0
    }
}
