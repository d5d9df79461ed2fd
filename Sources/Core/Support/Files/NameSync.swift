import Glibc

/// Makes the names of new files and directories survive a power cut.
public enum NameSync {
    /// Syncs the directory in which `path` is a name.
    ///
    /// As far as possible: not every directory can be opened or synced. A caller that depends on
    /// the name opens the directory and calls ``Descriptor/sync()``.
    public static func parent(of path: String) {
        let whole = path.reversed().drop { $0 == "/" }
        let above = String(whole.drop { $0 != "/" }.reversed())
        try? Descriptor<FileFailure>(above.isEmpty ? "." : above, O_RDONLY | O_DIRECTORY).sync()
    }
}
