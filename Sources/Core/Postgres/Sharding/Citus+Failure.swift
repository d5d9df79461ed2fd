import Glibc
public import OperatorErrors

extension Citus.Failure: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .extensionMissing:
            "the database has no extension citus, so nothing was distributed; the schema is up to date"
        case .tooOld(let version):
            "the extension citus has version \(version); version 11 or later is required"
        case .notCoordinator: "this node is a worker of its cluster"
        case .noNodes: "the cluster has no node that may hold shards"
        case .database(let error): "nothing was distributed: \(error.sentence)"
        case .shards(let fault): "the cluster's shards can't be used: \(fault)"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .extensionMissing:
            "on plain PostgreSQL omit --citus; on a Citus cluster run \"create extension citus\" on "
                + "each node, and citus_add_node on the coordinator for each worker"
        case .notCoordinator: "set SLUICE_COORDINATOR_URL to the coordinator"
        case .noNodes: "add workers with citus_add_node"
        case .database(let error) where error.sqlState?.description == "42501":
            "let a superuser run it once, with Sluice stopped: only a superuser may bring existing "
                + "roles and views to the nodes"
        case .database(let error): error.remedy
        case .tooOld, .shards: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_UNAVAILABLE }
}
