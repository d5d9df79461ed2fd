import Glibc
import Inspections

extension InspectionLimits {
    /// Sets the limits of this process for good. It can then open no file, write to none, and start
    /// no process or thread. It ends with its parent, and the kernel kills it first when memory
    /// runs out.
    ///
    /// - Returns: false when a limit can't be set.
    func impose(fileBytes: Int) -> Bool {
        guard let ownBytes = Self.ownBytes else { return false }
        // Failures of these are ignored: a sandbox may refuse them, and they only improve matters.
        Self.goFirst()
        _ = nice(10)
        Self.control(1, UInt(SIGKILL))  // PR_SET_PDEATHSIG
        Self.control(4, 0)  // PR_SET_DUMPABLE
        Self.control(38, 1)  // PR_SET_NO_NEW_PRIVS
        "sluice-inspect".withCString { Self.control(15, UInt(bitPattern: $0)) }  // PR_SET_NAME
        alarm(UInt32(clamping: secondsMax))
        return Self.limit(RLIMIT_AS, ownBytes + fileBytes + memoryBytesMax)
            && Self.limit(RLIMIT_CPU, processorSecondsMax, grace: 1) && Self.limit(RLIMIT_CORE, 0)
            && Self.limit(RLIMIT_FSIZE, 0) && Self.limit(__RLIMIT_NPROC, 0)
            && Self.limit(RLIMIT_NOFILE, 0)
    }

    /// - Parameter grace: how far the hard limit lies above the soft one.
    private static func limit(
        _ resource: __rlimit_resource, _ value: Int, grace: Int = 0
    ) -> Bool {
        let resource = __rlimit_resource_t(resource.rawValue)
        var present = rlimit()
        guard getrlimit(resource, &present) == 0 else { return false }
        var wanted = rlimit(
            rlim_cur: min(rlim_t(clamping: value), present.rlim_max),
            rlim_max: min(rlim_t(clamping: value + grace), present.rlim_max))
        return setrlimit(resource, &wanted) == 0
    }

    /// The bytes that are mapped already.
    private static var ownBytes: Int? {
        guard let statistics = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(statistics) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), statistics) != nil else { return nil }
        let pages = strtol(line, nil, 10)
        return pages > 0 ? pages * sysconf(Int32(_SC_PAGESIZE)) : nil
    }

    private static func goFirst() {
        guard let score = fopen("/proc/self/oom_score_adj", "we") else { return }
        fputs("1000", score)
        fclose(score)
    }

    private static func control(_ option: Int32, _ value: UInt) {
        _ = prctl?(option, value, 0, 0, 0)
    }

    /// `prctl(2)`: Swift can't import it, because it is variadic.
    private static let prctl = dlsym(nil, "prctl").map { unsafeBitCast($0, to: Control.self) }
    private typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
}
