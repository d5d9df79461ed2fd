/// Real faults under load, checked by the oracle.
///
/// A *rig* is what one fault needs: its own PostgreSQL cluster, one or two Sluice processes, and
/// for some faults a relay between them, nginx in front of them or a tiny disk. A *round* loads
/// the rig with a simulated fleet and causes the fault at a random moment. Then it waits until
/// Sluice takes batches again and its spool is empty, and the oracle reads back every row. A
/// fault says only what it does; the round does not know which fault it runs.
///
/// - Everything is bounded: the load by its rate, a wait by its limit, the run by its minutes.
/// - Everything listens on loopback or on a Unix socket in a temporary directory, which is
///   removed.
/// - Only processes that the rig started get signals, by their process id.
/// - A Sluice that ends by itself is started again, as a supervisor would, and its round is not
///   clean.
/// - The seed decides the fleet, the moments and the durations. The machine decides the rest, so
///   a seed makes it likely that a round repeats, not certain.
///
/// `frozen` uses the same rig for one long fault, and watches memory instead of rows.

import Foundation

/// Why a rig can't be made, or what failed in it.
enum ChaosFailure: Error, CustomStringConvertible {
    case commandFailed(program: String, status: String, output: String)
    case systemCallFailed(String, errno: Int32)
    case notHealthy(node: Int, log: String)
    case databaseDown(log: String)
    case balancerDown(log: String)
    case exampleChanged(file: String, missing: String)

    /// A command that could not have its turn; it may have it later.
    var isBusy: Bool {
        if case .commandFailed(_, "status 75", _) = self { true } else { false }
    }

    var description: String {
        switch self {
        case .commandFailed(let program, let status, let output):
            "\(program) failed (\(status)): \(output)"
        case .systemCallFailed(let call, let errno):
            "\(call): \(String(cString: strerror(errno)))"
        case .notHealthy(let node, let log):
            "Sluice \(node) did not become healthy. Its log:\n\(log)"
        case .databaseDown(let log):
            "PostgreSQL did not start. Its log:\n\(log)"
        case .balancerDown(let log):
            "nginx does not forward requests. Its log:\n\(log)"
        case .exampleChanged(let file, let missing):
            "\(file) no longer contains: \(missing)"
        }
    }
}
