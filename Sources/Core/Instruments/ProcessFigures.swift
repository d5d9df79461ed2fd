import Glibc

/// The operating system's figures for this process, under the names that all Prometheus client
/// libraries use.
public struct ProcessFigures: MetricSource {
    private let startSeconds: Int

    /// Records the current time as the start of the process.
    public init() {
        startSeconds = time(nil)
    }

    /// Queries the operating system at each scrape.
    public func expose(to text: inout MetricText) {
        text.family(
            "process_start_time_seconds", .gauge,
            help: "Start of the process, in seconds since 1970.")
        text.sample(startSeconds)
        text.family(
            "process_cpu_seconds_total", .counter, help: "User and system time of the process.")
        text.sample(Self.cpuSeconds())
        if let bytes = Self.residentBytes() {
            text.family(
                "process_resident_memory_bytes", .gauge, help: "Memory of the process in RAM.")
            text.sample(bytes)
        }
        if let count = Self.openFiles() {
            text.family("process_open_fds", .gauge, help: "Open files and sockets of the process.")
            text.sample(count)
        }
        var files = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files) == 0 {
            text.family("process_max_fds", .gauge, help: "As many may be open.")
            text.sample(Int(clamping: files.rlim_cur))
        }
    }

    /// The number of open files, without the directory that is open to list them; nil if there is
    /// no such directory.
    private static func openFiles() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var entries = 0
        while readdir(directory) != nil { entries += 1 }
        // Without `.`, `..` and the directory itself.
        return entries - 3
    }

    private static func cpuSeconds() -> Double {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    /// The second field of `/proc/self/statm`, in pages, as bytes; nil if there is no such file.
    private static func residentBytes() -> Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
