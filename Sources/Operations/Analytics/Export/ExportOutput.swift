import Glibc

/// The output of an export: a file that appears only when it is complete, or standard output.
///
/// Not thread-safe. ``finish()`` creates the file. Without it nothing remains, except what was
/// already written to standard output.
public final class ExportOutput {
    /// nil: the output is not a file that is renamed at the end.
    private let path: String?
    private var descriptor: Int32
    private var buffer: [UInt8] = []
    /// Bytes given to ``write(_:)``.
    public private(set) var byteCount = 0

    private static let bufferBytes = 256 * 1024

    /// Standard output. The caller ignores SIGPIPE.
    public init() {
        path = nil
        descriptor = STDOUT_FILENO
    }

    /// A file that only this user may read, because it shows where people are. An existing file is
    /// replaced at the end. A device or a named pipe is written to directly.
    public init(path: String) throws(ExportFault) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            self.path = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw .outputFailed(path: path, operation: "open", errno: errno)
            }
            return
        }
        self.path = path
        let part = Self.part(path)
        descriptor = open(part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .outputFailed(path: part, operation: "open", errno: errno)
        }
        // A file that could be locked may already have been renamed, by an export that has just
        // ended.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Self.isStill(part, descriptor) else {
            close(descriptor)
            descriptor = -1
            throw .outputInUse(path: path)
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let code = errno
            discard()
            throw .outputFailed(path: part, operation: "truncate", errno: code)
        }
    }

    deinit { discard() }

    private static func part(_ path: String) -> String { path + ".part" }

    private static func isStill(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ExportFault) {
        buffer.append(contentsOf: bytes)
        byteCount += bytes.count
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    func write(_ text: String) throws(ExportFault) {
        buffer.append(contentsOf: text.utf8)
        byteCount += text.utf8.count
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Writes the buffer to the operating system.
    func flush() throws(ExportFault) {
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            }
            if count >= 0 {
                done += count
            } else if errno == EPIPE {
                throw .brokenPipe
            } else if errno == EAGAIN {
                // Another process has made the terminal or pipe non-blocking.
                var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&target, 1, 1000)
            } else if errno != EINTR {
                throw failed("write")
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Syncs the file to disk and renames it to its final name.
    public func finish() throws(ExportFault) {
        try flush()
        guard let path else {
            if descriptor != STDOUT_FILENO { close(descriptor) }
            descriptor = -1
            return
        }
        guard fsync(descriptor) == 0 else { throw failed("fsync") }
        guard rename(Self.part(path), path) == 0 else { throw failed("rename") }
        close(descriptor)
        descriptor = -1
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? "."
        let opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return }
        fsync(opened)
        close(opened)
    }

    /// Removes the unfinished file; does nothing after ``finish()``.
    public func discard() {
        guard descriptor >= 0 else { return }
        if let path { unlink(Self.part(path)) }
        if descriptor != STDOUT_FILENO { close(descriptor) }
        descriptor = -1
    }

    private func failed(_ operation: String) -> ExportFault {
        .outputFailed(path: path ?? "the output", operation: operation, errno: errno)
    }
}

/// Progress of an export, and its result at the end.
public struct ExportProgress: Sendable, Equatable {
    /// Rows, or positions of tracks.
    public internal(set) var rows = 0
    /// Bytes of output.
    public internal(set) var bytes = 0
    /// Days or devices that are done. Devices are not counted beforehand, so for tracks ``parts``
    /// is nil.
    public internal(set) var partsDone = 0
    /// Total number of days; nil: unknown, or the table is read with one statement.
    public internal(set) var parts: Int?
    /// The current day or device.
    public internal(set) var part = ""
}
