import Foundation
import Readings

/// The server as a whole: configuration, assembly, the order of starting and stopping, and what the
/// command line does beside it.
///
/// **Start**, each step only after the one before, and undone in reverse when a later one fails:
/// 1. the ingest keys: configured, or read from the data directory, or made;
/// 2. the database: the operator's server, or the private cluster, which may have outlived a crash
///    of ours and is adopted then;
/// 3. the schema (``Postgres/Migrator``);
/// 4. the API keys of the database, the lanes' connections, and which days have partitions;
/// 5. the listening socket. Only now can a client see anything.
///
/// A node that has served before waits for 2 to 4 for a moment only; see ``DatabaseOpening``.
///
/// **Stop**, after the first SIGINT or SIGTERM (SIGHUP reads the configuration again, see ``Reloading``): the edge takes no more requests and ends
/// those it has, the lanes commit and answer what they took, the last uses of keys are written, the
/// private cluster stops. A second signal hurries: connections are cut, and the cluster stops without
/// regard for what runs in it. A third one ends the process where it stands.
///
/// **A crash** anywhere leaves the database (private or not) as it is: what was acknowledged is
/// committed, what was not is not promised. The next start adopts a cluster that still runs, and
/// takes the data directory's lock, which went with the process.
enum SluiceService {}

extension Timestamp {
    /// The same moment as Foundation counts.
    var date: Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6 + Double(Self.unixEpochOffset))
    }
}
