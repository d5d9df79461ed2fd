import Glibc

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
