import Access
import ArgumentParser
import Edge
import Foundation
import Instruments
import MediaStorage
import Postgres
import SluiceService

/// A failure in words, with the exit code that belongs to it: the one place where either is made.
///
/// Exit codes are those of `sysexits.h`: 64 the configuration or the call is wrong, 69 the database
/// can't be had, 71 the operating system refuses, 73 a file can't be made, 75 try again later.
struct Complaint: Error, CustomStringConvertible {
    let description: String
    let code: Int32

    init(_ description: String, code: Int32) {
        self.description = description
        self.code = code
    }

    init(_ failure: StartFailure) {
        switch failure {
        case .configuration(let problems):
            self.init(
                problems.problems.map(Self.line).joined(separator: "\n"), code: EX_USAGE)
        case .configurationFileUnreadable(let path):
            self.init("\(path): the configuration file can't be read", code: EX_USAGE)
        case .noDatabase(let directory):
            self.init(
                "\(directory): there is no database here. Is --data-dir right, or should DATABASE_URL "
                    + "name a server? sluice serve makes a private one, and so does sluice migrate",
                code: EX_NOINPUT)
        case .dataDirectoryUnusable(let path):
            self.init(Self.cause(ofDirectory: path), code: EX_CANTCREAT)
        case .keyFileUnusable(let path) where access(path, F_OK) != 0:
            self.init(
                Self.cause(ofDirectory: (path as NSString).deletingLastPathComponent),
                code: EX_CANTCREAT)
        case .keyFileUnusable(let path):
            self.init(
                "\(path): can't be read or written, or holds no key. Set INGEST_API_KEY, or remove "
                    + "the file to get a new key: devices that have the old one are locked out then",
                code: EX_CANTCREAT)
        case .noRandomness:
            self.init("the operating system gives no random bytes", code: EX_OSERR)
        case .cluster(let error):
            self.init(Self.text(error), code: Self.code(error))
        case .access(let fault):
            self.init(fault.message, code: EX_USAGE)
        case .media(let error):
            self.init(Self.text(error), code: EX_CANTCREAT)
        case .spool(let error):
            self.init(Self.text(error), code: Self.code(error))
        case .database(let error):
            self.init(Self.cause(of: error), code: EX_UNAVAILABLE)
        case .migration(let error):
            self.init(Self.text(error), code: EX_UNAVAILABLE)
        case .citus(let failure):
            self.init(Self.text(failure), code: EX_UNAVAILABLE)
        case .tls(let fault):
            self.init(fault.description, code: EX_USAGE)
        case .listen(let host, let port, let fault):
            self.init(Self.cause(ofListening: host, port, fault), code: EX_UNAVAILABLE)
        }
    }

    init(_ error: PostgresError) {
        self.init(.database(error))
    }

    private static func line(_ problem: ConfigurationProblem) -> String {
        let found = problem.found.map { " (it is \"\($0)\")" } ?? ""
        return "\(problem.key): \(problem.rule)\(found)"
    }

    private static func code(_ error: ClusterError) -> Int32 {
        switch error {
        case .dataDirectoryInUse: EX_TEMPFAIL
        case .fileFailed, .directoryUnsafe, .directoryUnreachable: EX_CANTCREAT
        case .serverMissing, .versionMissing, .userMissing, .commandFailed, .commandTimedOut,
            .backendsLeft, .stopTimedOut, .database:
            EX_UNAVAILABLE
        }
    }

    private static func text(_ error: ClusterError) -> String {
        switch error {
        case .fileFailed(_, _, ENOSPC): "\(error): make room, or set SLUICE_DATA_DIR"
        case .fileFailed(let path, "open", _) where path.hasSuffix("/sluice.lock"):
            cause(ofDirectory: (path as NSString).deletingLastPathComponent)
        case .fileFailed(let path, "make directory", _): cause(ofDirectory: path)
        case .database(let error): cause(of: error)
        default: "\(error)"
        }
    }

    private static func text(_ error: MediaStoreError) -> String {
        guard case .disk(let operation, let code) = error else { return "\(error)" }
        let reason = String(cString: strerror(code))
        return "the directory of uploaded files can't be used (\(operation): \(reason)); set "
            + "MEDIA_STORE or SLUICE_DATA_DIR to one that \(NSUserName()) may write"
    }

    private static func text(_ error: MigrationError) -> String {
        switch error {
        case .databaseNewer(let database, let binary):
            "the database is at schema \(database), which leaves this binary, of schema \(binary), "
                + "behind: use the newer sluice"
        case .checksumDiffers(let number):
            "the database ran another text of migration \(number): it was not made by a release"
        case .failed(let number, let name, let error):
            "migration \(number) (\(name)) failed: \(cause(of: error))"
        case .database(let error):
            cause(of: error)
        }
    }

    private static func text(_ failure: Citus.Failure) -> String {
        switch failure {
        case .extensionMissing:
            "the database has no extension citus, so nothing was distributed; the schema is up to "
                + "date. On plain PostgreSQL leave --citus away. On a Citus cluster run \"create "
                + "extension citus\" on each node, and citus_add_node on the coordinator for each "
                + "worker"
        case .tooOld(let version):
            "the extension citus is of version \(version), and 11 is the oldest that will do"
        case .notCoordinator:
            "this node is a worker of its cluster: set SLUICE_COORDINATOR_URL to the coordinator"
        case .noNodes:
            "no node of the cluster may have shards: add workers with citus_add_node"
        case .database(let error):
            "nothing was distributed: \(cause(of: error))"
        case .shards(let fault):
            "the cluster's shards can't be used: \(fault)"
        }
    }

    /// Runs a command's work; what goes wrong ends the process with its complaint.
    static func unlessDone<Value>(_ work: () throws -> Value) -> Value {
        do {
            return try work()
        } catch let error as StartFailure {
            Complaint(error).end()
        } catch let error as PostgresError {
            Complaint(error).end()
        } catch let error as Complaint {
            error.end()
        } catch {
            Complaint("\(error)", code: EX_SOFTWARE).end()
        }
    }

    /// Prints the complaint and ends the process.
    func end() -> Never {
        for line in description.split(separator: "\n") {
            LineLogHandler.writeToStandardError("sluice: \(line)\n")
        }
        Foundation.exit(code)
    }
}
