import Auth
import Dispatch
import HTTP
import Logging
import OperatorErrors
import Synchronization

/// What SIGHUP does: reads the configuration again, and applies what needs no restart. A
/// configuration with a problem changes nothing.
struct Reloading: Sendable {
    let reread: @Sendable () throws(StartFailure) -> ServiceConfiguration
    /// The configuration of the start.
    let started: ServiceConfiguration
    /// The keys of the start, for a configuration that names none.
    let ingestKeys: ConfiguredKeys
    let ring: KeyRing
    let access: AccessPolicy
    let refresher: KeyRefresher
    let edge: HTTPListener
    let apps: RunningApps
    let logger: Logger

    func reload() async {
        let configuration: ServiceConfiguration
        do throws(StartFailure) {
            configuration = try reread()
        } catch {
            logger.error(
                "the configuration has problems; nothing was changed",
                metadata: ["problems": "\(error.sentence.replacing("\n", with: "; "))"])
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
                "the access settings have a problem and were not changed",
                metadata: ["problem": "\(error.operatorText)"])
        }
        edge.reload(configuration.fittingEdge, configuration.fittingLimits)
        apps.reload(configuration)
        do {
            try await refresher.refresh()
        } catch {
            logger.warning(
                "the issued keys could not be read; this is retried",
                metadata: ["error": "\(error)"])
        }
        tellDifferences(configuration)
    }

    /// Logs all differences from the start each time: a setting may still wait for a restart.
    private func tellDifferences(_ configuration: ServiceConfiguration) {
        let differences = configuration.differences(from: started)
        var metadata: Logger.Metadata = [:]
        let waiting = differences.filter { !Settings.reread.contains($0) }
        let reread = differences.filter(Settings.reread.contains)
        if !reread.isEmpty { metadata["changed"] = "\(reread.joined(separator: ", "))" }
        if !waiting.isEmpty { metadata["wait_for_restart"] = "\(waiting.joined(separator: ", "))" }
        logger.notice(
            "configuration reloaded: keys, tokens, quotas, TLS, limits of requests and readings",
            metadata: metadata)
    }
}
