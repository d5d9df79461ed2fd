import Glibc

/// The settings that a private cluster is started with.
///
/// They are written to `sluice.conf` in the cluster at every start. An operator's own go into
/// `postgresql.conf` behind the include, or through ALTER SYSTEM, and win.
struct ServerSettings {
    let socketDirectory: String
    let logDirectory: String
    /// lz4 for the log's full pages, where the server was built with it.
    let compressesWithLZ4: Bool
    /// For tests: nothing survives a crash of the machine, and little memory.
    let isThrowaway: Bool

    static let port = 5432
    /// Files of the write-ahead log, 16 MB each, that a checkpoint keeps for writing over.
    static let logSegmentsKept = 64

    var text: String {
        let lines = shared + (isThrowaway ? throwaway : durable)
        return "# Written by sluice at every start. Own settings: ALTER SYSTEM.\n"
            + lines.map { "\($0.0) = '\($0.1)'\n" }.joined()
    }

    private var shared: [(String, String)] {
        [
            ("listen_addresses", ""),
            ("port", String(Self.port)),
            ("unix_socket_directories", socketDirectory),
            ("unix_socket_permissions", "0700"),
            ("cluster_name", "sluice"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            // No details and no statements: they hold what devices sent.
            ("log_error_verbosity", "terse"),
            ("log_min_error_statement", "panic"),
            ("jit", "off"),
            // Also where fsync is off: what was committed is with the kernel then.
            ("synchronous_commit", "on"),
            ("max_connections", "100"),
        ]
    }

    private var durable: [(String, String)] {
        [
            ("fsync", "on"),
            ("full_page_writes", "on"),
            ("shared_buffers", "\(Self.sharedBufferMegabytes(memoryBytes: Self.memoryBytes))MB"),
            ("wal_buffers", "16MB"),
            ("wal_compression", compressesWithLZ4 ? "lz4" : "on"),
            // Rare checkpoints: each writes whole pages to the log again. Kept segments are
            // written over, which makes their fdatasync half as long.
            ("checkpoint_timeout", "15min"),
            ("max_wal_size", "4GB"),
            ("min_wal_size", "\(Self.logSegmentsKept * 16)MB"),
            ("random_page_cost", "1.1"),
            // A file a weekday, each started anew: a week of log at most.
            ("logging_collector", "on"),
            ("log_directory", logDirectory),
            ("log_filename", "server-%a.log"),
            ("log_truncate_on_rotation", "on"),
            ("log_rotation_age", "1d"),
            ("log_rotation_size", "0"),
        ]
    }

    private var throwaway: [(String, String)] {
        [
            ("fsync", "off"),
            ("full_page_writes", "off"),
            ("shared_buffers", "64MB"),
            ("max_wal_size", "1GB"),
            ("wal_level", "minimal"),
            ("max_wal_senders", "0"),
            // Nothing in it is anybody's: what failed may be read in full.
            ("log_error_verbosity", "default"),
            ("log_min_error_statement", "error"),
            // Tests that run side by side share one server.
            ("max_connections", "400"),
        ]
    }

    /// An eighth of the memory, since sluice itself and the page cache want theirs: 64 MB to 4 GB.
    static func sharedBufferMegabytes(memoryBytes: Int) -> Int {
        min(max(memoryBytes / 8 / 1_048_576, 64), 4096)
    }

    /// What this machine or this container has.
    private static var memoryBytes: Int {
        let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let limit = Files.read("/sys/fs/cgroup/memory.max").flatMap { text in
            Int(text.prefix { $0.isNumber })
        }
        return min(physical, limit ?? physical)
    }
}
