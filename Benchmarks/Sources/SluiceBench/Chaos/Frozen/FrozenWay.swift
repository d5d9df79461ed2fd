import ArgumentParser
import Foundation
import Oracle

/// How the database is frozen while its connections stay open.
enum FrozenWay: String, ExpressibleByArgument, CaseIterable {
    case stop, lock

    /// - Returns: a function that ends it.
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
