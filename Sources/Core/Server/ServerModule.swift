import Foundation
import Readings

/// The whole server: its configuration, its assembly, the order of starting and stopping, and the
/// work of the other commands.
///
/// **Start.** Each step follows the one before, and is undone, last first, if a later one fails:
/// 1. the ingest keys: configured, read from the data directory, or generated;
/// 2. the database: the operator's server or the private cluster. A cluster that survived a crash
///    of this process is adopted;
/// 3. the schema (``Postgres/Migrator``);
/// 4. the API keys in the database, the lanes' connections, and the days that have partitions;
/// 5. the listening socket. Clients see nothing before this.
///
/// A node that has served before waits only briefly for steps 2 to 4; see ``DatabaseOpening``.
///
/// **Stop**, after the first SIGINT or SIGTERM (SIGHUP reads the configuration again, see
/// ``Reloading``): the edge accepts no more requests and finishes the current ones, the lanes
/// commit and answer their batches, the last uses of keys are written, the private cluster stops. A
/// second signal hurries: connections are closed, and the cluster does not wait for running
/// statements. A third signal ends the process at once.
///
/// **A crash** at any point loses nothing that was acknowledged: it is committed or in the spool.
/// The next start takes the data directory's lock, which the crash released, and adopts a cluster
/// that still runs.
enum ServerModule {}

extension Timestamp {
    /// The same moment for Foundation.
    var date: Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6 + Double(Self.unixEpochOffset))
    }
}
