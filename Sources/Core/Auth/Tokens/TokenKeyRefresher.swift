public import Logging
import OperatorErrors
import Repetition
public import ServiceLifecycle

/// Watches the JWKS file of an ``AccessPolicy``: a key that is added starts to work, and a key that
/// is removed stops working, within the interval.
///
/// A missing or broken file changes nothing and is logged once.
public final class TokenKeyRefresher: Service {
    private let policy: AccessPolicy
    private let interval: Duration
    private let logger: Logger

    /// - Parameter interval: between two checks of the file; a check costs one `stat`.
    public init(policy: AccessPolicy, interval: Duration = .seconds(2), logger: Logger) {
        self.policy = policy
        self.interval = interval
        self.logger = logger
    }

    /// Watches until the group shuts down or the task is cancelled.
    public func run() async throws {
        let interval = interval
        await Repetition.run(nil) { logged in
            await self.step(&logged)
            return interval
        }
    }

    private func step(_ logged: inout AccessFault?) async {
        do throws(AccessFault) {
            if try await policy.refreshKeys() { logger.notice("token keys read again") }
            logged = nil
        } catch {
            if logged != error {
                logger.warning(
                    "token keys can't be read; those known stay in force",
                    metadata: ["reason": "\(error.operatorText)"])
            }
            logged = error
        }
    }
}
