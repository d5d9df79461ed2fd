public import Files
import Glibc
import JSONText

/// The output of an export: a file that appears only when it is complete, or standard output. On a
/// terminal, `?` stands for every character that it might act on.
///
/// Not thread-safe. ``finish()`` creates the file. Without it nothing remains, except what was
/// already written to standard output.
public final class ExportOutput {
    /// nil: the output is not a file that appears at the end.
    private var draft: Draft<ExportFault>?
    /// nil: finished or discarded.
    private var target: Descriptor<ExportFault>?
    private let isTerminal: Bool
    private var buffer: [UInt8] = []
    /// Bytes given to ``write(_:)``.
    public private(set) var byteCount = 0

    private static let bufferBytes = 256 * 1024

    /// Standard output. The caller ignores SIGPIPE.
    public init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        // Standard output itself stays open. Not 2: messages go there.
        target = Descriptor<ExportFault>(
            fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), path: "the output")
    }

    /// A file that only this user may read, because it shows where people are. An existing file is
    /// replaced at the end. A device or a named pipe is written to directly.
    public init(path: String) throws(ExportFault) {
        isTerminal = false
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            target = try Descriptor<ExportFault>(path, O_WRONLY)
        } else {
            draft = try Draft<ExportFault>(of: path, suffix: ".part", isLocked: true)
            target = draft?.file
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ExportFault) {
        if isTerminal { return try write(String(decoding: bytes, as: UTF8.self)) }
        buffer.append(contentsOf: bytes)
        byteCount += bytes.count
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    func write(_ text: String) throws(ExportFault) {
        let text = isTerminal ? text.harmlessOnTerminal(keepsLines: true) : text
        buffer.append(contentsOf: text.utf8)
        byteCount += text.utf8.count
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    /// Writes the buffer to the operating system.
    func flush() throws(ExportFault) {
        let number = target?.number ?? -1
        var done = 0
        while done < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Glibc.write(number, bytes.baseAddress! + done, bytes.count - done)
            }
            if count >= 0 {
                done += count
            } else if errno == EPIPE {
                throw .brokenPipe
            } else if errno == EAGAIN {
                // Another process has made the terminal or pipe non-blocking.
                var target = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                poll(&target, 1, 1000)
            } else if errno != EINTR {
                throw .outputFailed(
                    path: draft?.path ?? "the output", operation: "write", errno: errno)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Syncs the file to disk and gives it its final name.
    public func finish() throws(ExportFault) {
        try flush()
        try draft?.publish()
        discard()
    }

    /// Removes the unfinished file; does nothing after ``finish()``.
    public func discard() {
        draft = nil
        target = nil
    }
}

extension ExportFault: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        self =
            failure.operation == .lock
            ? .outputInUse(path: failure.path)
            : .outputFailed(
                path: failure.path, operation: failure.operation.rawValue, errno: failure.errno)
    }
}
