import Glibc

/// Whether output goes to systemd's journal.
///
/// - Source: systemd.exec(5), `$JOURNAL_STREAM`; sd-daemon(3), the prefixes of lines.
public enum JournalStream {
    /// Whether the journal reads this descriptor of the process: the variable names the device and
    /// the inode of the stream that the service manager made.
    public static func isBehind(_ descriptor: Int32, environment: [String: String]) -> Bool {
        var status = stat()
        guard let text = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else {
            return false
        }
        return text == "\(status.st_dev):\(status.st_ino)"
    }
}
