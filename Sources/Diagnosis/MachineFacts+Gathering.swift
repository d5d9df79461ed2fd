import Glibc

extension MachineFacts {
    /// Asks the kernel.
    public static func gather() -> MachineFacts {
        var facts = MachineFacts()
        let physical = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        if physical > 0 {
            facts.memoryBytes = min(physical, number("/sys/fs/cgroup/memory.max") ?? physical)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.openFilesMax = Int(clamping: limit.rlim_max)
        }
        facts.backlogMax = number("/proc/sys/net/core/somaxconn")
        facts.isClockSynchronised = isClockSynchronised()
        return facts
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
