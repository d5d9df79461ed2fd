import Glibc

/// A place that is written to, and its file system.
public struct DiskFacts: Sendable {
    /// What is kept there.
    public enum Purpose: String, Sendable {
        case data = "data directory"
        case spool = "spool"
        case media = "uploaded files"
        case database = "database"
        case archive = "archived days"
    }

    /// What for.
    public var purpose: Purpose
    /// The directory, or the next one above it that is there.
    public var path: String
    /// Of the file system; nil when it can't be asked.
    public var bytes: Int?
    /// Free for this user.
    public var bytesFree: Int?
    /// Files that can be made; nil where the file system has no such limit.
    public var filesFree: Int?
    /// Of the file system.
    public var files: Int?
    /// This user may write there.
    public var isWritable = true

    /// Nothing is known of it.
    public init(_ purpose: Purpose, path: String) {
        self.purpose = purpose
        self.path = path
    }
}

extension DiskFacts {
    /// Asks the file system; makes nothing.
    ///
    /// - Parameter path: where it is to be; what is not there yet will be made in the next directory
    ///   above it that is.
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
        // Some file systems have no inodes to run out of.
        if system.f_files > 0 {
            facts.files = Int(system.f_files)
            facts.filesFree = Int(system.f_favail)
        }
        return facts
    }

    /// Permissions of a file; nil where there is none.
    public static func mode(of path: String) -> UInt32? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}

extension MachineFacts {
    /// Asks the kernel.
    ///
    /// - Parameter server: the running server's process; nil: there is none.
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

    /// Another process's hard limit; nil where it may not be looked at.
    private static func openFilesMax(of process: Int32) -> Int? {
        guard let file = fopen("/proc/\(process)/limits", "r") else { return nil }
        defer { fclose(file) }
        // Max open files            1024                 524288               files
        while let line = readLine(of: file) {
            guard line.hasPrefix("Max open files ") else { continue }
            return line.split(separator: " ").dropFirst(4).first.flatMap { Int($0) }
        }
        return nil
    }

    /// Its first 255 bytes; nil at the end.
    private static func readLine(of file: UnsafeMutablePointer<FILE>) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard fgets(&bytes, Int32(bytes.count), file) != nil else { return nil }
        return bytes.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }

    /// By adjtimex(2), which Swift's C library module leaves out. Its structure has 208 bytes; all
    /// zeros ask and set nothing.
    private static func isClockSynchronised() -> Bool? {
        typealias Adjtimex = @convention(c) (UnsafeMutableRawPointer) -> Int32
        guard let symbol = dlsym(nil, "adjtimex") else { return nil }
        var clock = [UInt64](repeating: 0, count: 64)
        let state = clock.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { unsafeBitCast(symbol, to: Adjtimex.self)($0) } ?? -1
        }
        // 5 is TIME_ERROR; without the right to ask nothing is known.
        return state < 0 ? nil : state != 5
    }

    /// A file that begins with a number; `max` is none.
    private static func number(_ path: String) -> Int? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = fread(&bytes, 1, bytes.count, file)
        return Int(
            String(decoding: bytes[..<count].prefix { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self))
    }
}
