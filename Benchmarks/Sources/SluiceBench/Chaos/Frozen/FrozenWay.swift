import ArgumentParser
import Foundation
import Oracle

/// How a database stands still while its connections stay.
enum FrozenWay: String, ExpressibleByArgument, CaseIterable {
    case stop, lock

    /// - Returns: what ends it.
    func freeze(_ database: ChaosDatabase) throws -> () throws -> Void {
        switch self {
        case .stop:
            database.signalAll(SIGSTOP)
            return { database.signalAll(SIGCONT) }
        case .lock:
            let session = try database.session()
            try session.execute("begin; lock table sluice.gps in access exclusive mode")
            return { try session.execute("rollback") }
        }
    }
}
