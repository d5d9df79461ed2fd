import Glibc
public import OperatorErrors

/// A directory that can't be created or written; the cause is found in the file system.
public struct DirectoryUnusable: OperatorError, Equatable {
    private let path: String

    /// - Parameter path: the directory; it need not exist.
    public init(path: String) {
        self.path = path
    }

    /// The path and the cause.
    public var sentence: String {
        var place = path
        while access(place, F_OK) != 0, place.count > 1 { place = Self.parent(of: place) }
        var status = stat()
        let isDirectory = stat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        let cause =
            if !isDirectory {
                "\(place) is a file, not a directory"
            } else if access(place, W_OK) != 0 {
                "\(Self.userName) may not write in \(place)"
            } else {
                "the directory can't be created or written"
            }
        return "\(path): \(cause)"
    }

    /// Another directory.
    public var remedy: String? {
        "set SLUICE_DATA_DIR or --data-dir to a directory that \(Self.userName) may write"
    }

    /// `EX_CANTCREAT`.
    public var exitCode: Int32 { EX_CANTCREAT }

    /// The directory of a file, or the one above a directory.
    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The user of this process, or its number.
    public static var userName: String {
        getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "user \(geteuid())"
    }
}
