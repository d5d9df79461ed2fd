import Glibc
import HTTP
import Logging
import Repetition
import ServiceLifecycle

/// Returns memory that is free after a burst of work to the system.
///
/// glibc keeps freed memory in the arenas of the threads that allocated it, so an idle process
/// would hold the memory of its busiest moment. Every ``interval`` without a burst, its
/// `malloc_trim` releases all free whole pages. Without such a function nothing happens.
struct MemoryKeeper: Service {
    let edge: HTTPListener
    let logger: Logger

    static let interval: Duration = .seconds(30)
    /// Body bytes in flight that count as a burst: memory freed then is soon needed again.
    private static let busyBytesMin = 1 << 20

    private typealias Trim = @convention(c) @Sendable (Int) -> Int32
    /// Neither the function nor `RTLD_DEFAULT`, which is nil, is declared for Swift.
    private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }

    func run() async throws {
        guard Self.trim != nil else { return }
        await Repetition.run(every: Self.interval, after: Self.interval) {
            if !Task.isCancelled, edge.inFlightBytes < Self.busyBytesMin { await giveBack() }
        }
    }

    private func giveBack() async {
        let began = ContinuousClock.now
        // malloc_trim waits for each arena's lock, so it runs on a separate thread.
        await blocking { _ = Self.trim?(0) }
        logger.debug(
            "returned free memory to the system",
            metadata: ["took": "\(ContinuousClock.now - began)"])
    }
}
