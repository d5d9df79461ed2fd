import Edge
import Foundation
import Logging
import ServiceLifecycle

/// Gives memory that a burst of work has left free back to the system.
///
/// glibc keeps what is freed in the arenas of the threads that asked for it, for ever: an idle process
/// would hold what its busiest moment took. Every ``interval`` without a burst, its `malloc_trim`
/// releases all whole pages that are free. Where there is no such function nothing happens.
struct MemoryKeeper: Service {
    let edge: EdgeServer
    let logger: Logger

    static let interval: Duration = .seconds(30)
    /// Bytes of bodies at hand that make a burst; what is freed then is soon wanted again.
    private static let busyBytesMin = 1 << 20

    private typealias Trim = @convention(c) @Sendable (Int) -> Int32
    /// The function is not declared for Swift; nil stands for `RTLD_DEFAULT`, which is not either.
    private static let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: Trim.self) }

    func run() async throws {
        guard Self.trim != nil else { return }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.interval)
                if Task.isCancelled { return }
                if edge.inFlightBytes < Self.busyBytesMin { await giveBack() }
            }
        }
    }

    private func giveBack() async {
        let began = ContinuousClock.now
        // Each arena is locked while it is looked through, which a thread of its own may wait for.
        await blocking { _ = Self.trim?(0) }
        logger.debug(
            "free memory went back to the system",
            metadata: ["took": "\(ContinuousClock.now - began)"])
    }
}
