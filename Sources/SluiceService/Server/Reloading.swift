import Access
import Edge
import Logging

/// What SIGHUP asks for: the configuration read again, and put in force as far as that goes without a
/// restart. A configuration with a problem changes nothing.
struct Reloading: Sendable {
    let reread: @Sendable () throws(StartFailure) -> ServiceConfiguration
    /// Those in force when the configuration names none: they were made at the start.
    let ingestKeys: ConfiguredKeys
    let ring: KeyRing
    let access: AccessPolicy
    let refresher: KeyRefresher
    let edge: EdgeServer
    let logger: Logger

    func reload() async {
        let configuration: ServiceConfiguration
        do throws(StartFailure) {
            configuration = try reread()
        } catch {
            logger.error(
                "the configuration has problems; everything stays as it was",
                metadata: ["problems": "\(Self.text(error))"])
            return
        }
        let quota = configuration.keyBytesPerSecond
        let configured = configuration.ingestKeys.flatMap { try? ConfiguredKeys($0.revealed()) }
        ring.replaceConfigured(
            with: configured ?? ingestKeys, application: configuration.applicationKeys,
            bytesPerSecond: quota > 0 ? quota : nil)
        do throws(AccessFault) {
            try await access.replace(with: configuration.access)
        } catch {
            logger.error(
                "who may call stays as it was", metadata: ["problem": "\(error.message)"])
        }
        edge.reload(configuration.fittingEdge, configuration.limits)
        do {
            try await refresher.refresh()
        } catch {
            logger.warning(
                "issued keys could not be read now; that is tried again",
                metadata: ["error": "\(error)"])
        }
        logger.notice(
            "configuration read again: keys, tokens, quotas, TLS, limits of requests and readings")
    }

    private static func text(_ failure: StartFailure) -> String {
        guard case .configuration(let problems) = failure else { return "\(failure)" }
        return problems.problems.map { "\($0.key): \($0.rule)" }.joined(separator: "; ")
    }
}
