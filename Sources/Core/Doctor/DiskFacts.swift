import Glibc

/// A place that the server writes to, and its file system.
public struct DiskFacts: Sendable {
    /// What is stored there.
    public enum Purpose: String, Sendable {
        case data = "data directory"
        case spool = "spool"
        case media = "uploaded files"
        case database = "database"
        case archive = "archived days"
    }

    /// What is stored there.
    public var purpose: Purpose
    /// The directory, or its nearest existing ancestor.
    public var path: String
    /// Size of the file system; nil: unknown.
    public var bytes: Int?
    /// Space available to this user.
    public var bytesFree: Int?
    /// Free inodes; nil if the file system has no such limit.
    public var filesFree: Int?
    /// Inodes of the file system.
    public var files: Int?
    /// Whether this user may write there.
    public var isWritable = true

    /// A place about which nothing is known.
    public init(_ purpose: Purpose, path: String) {
        self.purpose = purpose
        self.path = path
    }
}

extension DiskFacts {
    /// Queries the file system; creates nothing.
    ///
    /// - Parameter path: the place. If it does not exist yet, its nearest existing ancestor is
    ///   examined, where it will be created.
    public static func gather(_ purpose: Purpose, path: String) -> DiskFacts {
        var path = path
        while access(path, F_OK) != 0, path.count > 1, let slash = path.lastIndex(of: "/") {
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        var facts = DiskFacts(purpose, path: path)
        facts.isWritable = access(path, W_OK | X_OK) == 0
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return facts }
        let size = Int(system.f_frsize)
        facts.bytes = Int(system.f_blocks) * size
        facts.bytesFree = Int(system.f_bavail) * size
        // Some file systems have no limit of inodes.
        if system.f_files > 0 {
            facts.files = Int(system.f_files)
            facts.filesFree = Int(system.f_favail)
        }
        return facts
    }

    /// Permissions of a file; nil if it does not exist.
    public static func mode(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}

extension MachineFacts {
    /// Queries the kernel.
    ///
    /// - Parameter server: process id of the running server; nil: none is running.
    public static func gather(server: Int32?) -> MachineFacts {
        var facts = MachineFacts()
        let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        if physical > 0 {
            facts.memoryBytes = min(physical, number("/sys/fs/cgroup/memory.max") ?? physical)
        }
        var limit = rlimit()
        if let limit = server.flatMap(openFilesMax) {
            (facts.openFilesMax, facts.isLimitOfServer) = (limit, true)
        } else if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.openFilesMax = Int(clamping: limit.rlim_max)
        }
        facts.backlogMax = number("/proc/sys/net/core/somaxconn")
        facts.isClockSynchronised = isClockSynchronised()
        return facts
    }

    /// The hard limit of another process; nil if it may not be read.
    private static func openFilesMax(of process: Int32) -> Int? {
        guard let file = fopen("/proc/\(process)/limits", "r") else { return nil }
        defer { fclose(file) }
        // Example: Max open files            1024                 524288               files
        while let line = readLine(of: file) {
            guard line.hasPrefix("Max open files ") else { continue }
            return line.split(separator: " ").dropFirst(4).first.flatMap { Int($0) }
        }
        return nil
    }

    /// The next line, at most 255 bytes; nil at the end of the file.
    private static func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    /// Uses adjtimex(2), which Swift's C library module does not export. Its structure has 208
    /// bytes; filled with zeros it queries and sets nothing.
    private static func isClockSynchronised() -> Bool? {
        typealias Adjtimex = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let symbol = dlsym(nil, "adjtimex") else { return nil }
        var clock = [UInt64](repeating: 0, count: 64)
        let state = clock.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { unsafeBitCast(symbol, to: Adjtimex.self)($0) } ?? -1
        }
        // 5 is TIME_ERROR. A negative result means that the query is not permitted.
        return state < 0 ? nil : state != 5
    }

    /// Reads a file that starts with a number; nil for any other text, such as `max`.
    private static func number(_ path: String) -> Int? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return Int(
            String(decoding: bytes[..<count].prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self))
    }
}
