public import Files
import Glibc

/// The few file operations of the private cluster, with the path in the error.
enum ClusterFiles {
    /// Creates a directory and its parents; existing directories stay as they are.
    static func makeDirectory(_ path: String, mode: mode_t) throws(ClusterError) {
        if mkdir(path, mode) == 0 { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectory(String(path[..<slash]), mode: 0o755)
            if mkdir(path, mode) == 0 { return }
        }
        guard errno == EEXIST else {
            throw .fileFailed(path: path, operation: "make directory", errno: errno)
        }
    }

    static func give(_ path: String, to user: ServerUser?) throws(ClusterError) {
        guard let user else { return }
        guard lchown(path, user.id, user.group) == 0 else {
            throw .fileFailed(path: path, operation: "change owner of", errno: errno)
        }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Only if that is certain: what can't be looked at now may exist.
    static func isAbsent(_ path: String) -> Bool {
        access(path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
    }

    /// The path without links and `..`; it must exist.
    static func resolve(_ path: String) throws(ClusterError) -> String {
        guard let resolved = realpath(path, nil) else {
            throw .fileFailed(path: path, operation: "find", errno: errno)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The target of a symbolic link; nil if the path is not a link or may not be read.
    static func linkTarget(_ path: String) -> String? {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = target.withUnsafeMutableBytes {
            readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return count < 0 ? nil : String(decoding: target[..<count], as: UTF8.self)
    }

    /// Names in a directory, without `.` and `..`; none when it can't be read.
    static func list(_ path: String) -> [String] {
        (try? Descriptor<ClusterError>(path, O_RDONLY | O_DIRECTORY).names()) ?? []
    }

    private static let smallMax = 64 * 1024

    /// A small text file; nil when it can't be read.
    static func read(_ path: String) -> String? { read(path, isLog: false) }

    /// The last lines of a text file that may be long; none when it can't be read.
    static func lastLines(_ count: Int, of path: String) -> [String] {
        (read(path, isLog: true) ?? "").split(whereSeparator: \.isNewline).suffix(count)
            .map(String.init)
    }

    /// - Parameter isLog: its end is read, not its beginning.
    private static func read(_ path: String, isLog: Bool) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Fails if the file is shorter; then reading starts at its beginning.
        if isLog { lseek(file, -smallMax, SEEK_END) }
        var bytes = [UInt8](repeating: 0, count: smallMax)
        let count = Glibc.read(file, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// Replaces a small file as a whole: a crash leaves the old one or the new one.
    static func write(
        _ text: String, to path: String, mode: mode_t, owner: ServerUser?
    ) throws(ClusterError) {
        let draft = try Draft<ClusterError>(of: path, suffix: ".new", mode: mode, isLocked: true)
        let bytes = [UInt8](text.utf8)
        try draft.file.write(bytes.span.bytes)
        try give(draft.file.path, to: owner)
        try draft.publish()
    }

    /// A temporary file without a name, removed when its last descriptor is closed.
    static func makeNameless() throws(ClusterError) -> Int32 {
        var template = [CChar]("/tmp/sluice-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else {
            throw .fileFailed(path: "/tmp/sluice-XXXXXX", operation: "make", errno: errno)
        }
        unlink(template)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }

    /// Removes a directory with all that is in it; follows no links. What can't be removed stays.
    static func removeTree(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in list(path) { removeTree(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}

extension ClusterError: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        let operation =
            switch failure.operation {
            case .sync: "write"
            case .rename: "replace"
            default: "\(failure.operation)"
            }
        self = .fileFailed(path: failure.path, operation: operation, errno: failure.errno)
    }
}
