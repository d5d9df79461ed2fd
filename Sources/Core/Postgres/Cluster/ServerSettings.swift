import Files
import Glibc

/// The settings that a private cluster is started with.
///
/// They are written to `sluice.conf` in the cluster at every start. Settings that an operator puts
/// into `postgresql.conf` after the include, or sets by ALTER SYSTEM, take precedence.
struct ServerSettings {
    let socketDirectory: String
    /// In the socket's name, and the TCP port if ``listens``.
    let port: Int
    let listens: Bool
    /// The file of the access rules; nil: `pg_hba.conf`.
    let accessFile: String?
    let logDirectory: String
    /// Compresses the log's full pages with LZ4, if the server was built with it.
    let compressesWithLZ4: Bool
    /// For tests: uses little memory, and nothing survives a crash of the machine.
    let isThrowaway: Bool

    static let port = 5432

    var text: String {
        let access = accessFile.map { [("hba_file", $0)] } ?? []
        let lines = shared + access + (isThrowaway ? throwaway : durable)
        return "# Written by sluice at every start. Own settings: ALTER SYSTEM.\n"
            + lines.map { "\($0.0) = '\($0.1)'\n" }.joined()
    }

    private var shared: [(String, String)] {
        [
            ("listen_addresses", listens ? "127.0.0.1" : ""),
            ("port", String(port)),
            ("unix_socket_directories", socketDirectory),
            ("unix_socket_permissions", "0700"),
            ("cluster_name", "sluice"),
            ("timezone", "UTC"),
            ("log_timezone", "UTC"),
            // No details and no statements: they contain data of devices.
            ("log_error_verbosity", "terse"),
            ("log_min_error_statement", "panic"),
            ("jit", "off"),
            // Also with fsync off: committed data has then reached the kernel.
            ("synchronous_commit", "on"),
            ("max_connections", "100"),
            // A query over two years locks some 4000 tables and indexes. With 64, eight sessions of
            // an analyst leave no locks for writers.
            ("max_locks_per_transaction", "512"),
        ]
    }

    private var durable: [(String, String)] {
        [
            ("fsync", "on"),
            ("full_page_writes", "on"),
            ("shared_buffers", "\(Self.sharedBufferMegabytes(memoryBytes: Self.memoryBytes))MB"),
            ("wal_buffers", "16MB"),
            ("wal_compression", compressesWithLZ4 ? "lz4" : "on"),
            // Rare checkpoints: after each one whole pages are logged again. Recycled segments
            // halve the time of fdatasync.
            ("checkpoint_timeout", "15min"),
            ("max_wal_size", "4GB"),
            ("min_wal_size", "1GB"),
            ("random_page_cost", "1.1"),
            // One file per weekday, truncated when it is used again: at most a week of logs.
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
            // It holds nobody's data, so failed statements may be logged in full.
            ("log_error_verbosity", "default"),
            ("log_min_error_statement", "error"),
            // Tests that run side by side share one server.
            ("max_connections", "400"),
        ]
    }

    /// An eighth of the memory, because sluice and the page cache need memory too: 64 MB to 4 GB.
    static func sharedBufferMegabytes(memoryBytes: Int) -> Int {
        min(max(memoryBytes / 8 / 1_048_576, 64), 4096)
    }

    /// The memory of this machine or this container.
    private static var memoryBytes: Int {
        let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let limit = ClusterFiles.read("/sys/fs/cgroup/memory.max").flatMap { text in
            Int(text.prefix { $0.isNumber })
        }
        return min(physical, limit ?? physical)
    }
}
