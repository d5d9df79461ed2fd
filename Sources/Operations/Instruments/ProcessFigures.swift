import Glibc

/// What the operating system knows of this process, under the names that every Prometheus client
/// library uses for it.
public struct ProcessFigures: MetricSource {
    private let startSeconds: Int

    /// Takes the present for the start of the process.
    public init() {
        startSeconds = time(nil)
    }

    /// Asks the system anew each time.
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

    /// The directory that lists them is open meanwhile, and not counted; nil where there is none.
    private static func openFiles() -> Int? {
        guard let directory = opendir("/proc/self/fd") else { return nil }
        defer { closedir(directory) }
        var entries = 0
        while readdir(directory) != nil { entries += 1 }
        // `.` and `..`.
        return entries - 3
    }

    private static func cpuSeconds() -> Double {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
    }

    /// The second field of `/proc/self/statm`, in pages; nil where there is no such file.
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
