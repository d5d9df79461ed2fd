/// Real faults, under load, with the oracle on.
///
/// A *rig* is what one fault needs: a PostgreSQL cluster of its own, one Sluice process or two, and
/// for some a relay between them, nginx before them or a tiny disk. A *round* runs a simulated fleet against it, lets
/// the fault strike at a random moment, waits until Sluice takes batches again and its spool is
/// empty, and then has the oracle read back every row. A fault says nothing but what it does; the
/// round knows no fault.
///
/// - Everything is bounded: the load by its rate, a wait by its limit, the run by its minutes.
/// - Everything listens on loopback or a Unix socket in a temporary directory that is removed.
/// - Only processes that the rig started get signals, by their number.
/// - A Sluice that ends by itself is started again, as a supervisor would, and is held against it.
/// - The seed decides the fleet, the moments and the lengths; the machine decides the rest, so a
///   seed makes a round likely to happen again, not certain.
///
/// `frozen` uses the same rig for one long fault, and watches memory instead of rows.

import Foundation

/// Why a rig can't be made, or what went wrong with it.
enum ChaosFailure: Error, CustomStringConvertible {
    case commandFailed(program: String, status: String, output: String)
    case systemCallFailed(String, errno: Int32)
    case notHealthy(node: Int, log: String)
    case databaseDown(log: String)
    case balancerDown(log: String)
    case exampleChanged(file: String, missing: String)

    var description: String {
        switch self {
        case .commandFailed(let program, let status, let output):
            "\(program) failed (\(status)): \(output)"
        case .systemCallFailed(let call, let errno):
            "\(call): \(String(cString: strerror(errno)))"
        case .notHealthy(let node, let log):
            "Sluice \(node) does not become healthy. It said:\n\(log)"
        case .databaseDown(let log):
            "PostgreSQL does not come up. It said:\n\(log)"
        case .balancerDown(let log):
            "nginx does not pass requests on. It said:\n\(log)"
        case .exampleChanged(let file, let missing):
            "\(file) has no line any more with: \(missing)"
        }
    }
}
