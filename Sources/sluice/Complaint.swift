import Access
import ArgumentParser
import Edge
import Foundation
import Instruments
import Meals
import Media
import Postgres
import SluiceService
import Spooling
import Status

/// A failure: a message and an exit code.
///
/// Exit codes are those of `sysexits.h`, mainly: 64 wrong configuration or usage, 69 the database
/// is unavailable, 71 an error of the operating system, 73 a file can't be created, 75 try again
/// later.
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
                "\(directory): there is no database here. Check --data-dir or DATABASE_URL; sluice "
                    + "serve and sluice migrate create a private one",
                code: EX_NOINPUT)
        case .dataDirectoryUnusable(let path):
            self.init(Self.cause(ofDirectory: path), code: EX_CANTCREAT)
        case .keyFileUnusable(let path) where access(path, F_OK) != 0:
            self.init(
                Self.cause(ofDirectory: (path as NSString).deletingLastPathComponent),
                code: EX_CANTCREAT)
        case .keyFileUnusable(let path):
            self.init(
                "\(path): can't be read or written, or contains no key. Set INGEST_API_KEY, or "
                    + "remove the file to get a new key; devices with the old key are then locked out",
                code: EX_CANTCREAT)
        case .noRandomness:
            self.init("the operating system provides no random bytes", code: EX_OSERR)
        case .cluster(let error):
            self.init(Self.text(error), code: Self.code(error))
        case .access(let fault):
            self.init(fault.message, code: EX_USAGE)
        case .media(let error):
            self.init(Self.text(error), code: EX_CANTCREAT)
        case .words(let fault):
            self.init("\(fault)", code: EX_DATAERR)
        case .spool(let error):
            self.init(Self.text(error), code: Self.code(error))
        case .database(let error):
            self.init(Self.cause(of: error), code: EX_UNAVAILABLE)
        case .migration(let error):
            self.init(Self.text(error), code: EX_UNAVAILABLE)
        case .citus(let failure):
            self.init(Self.text(failure), code: EX_UNAVAILABLE)
        case .filesTooFew(let limit, let needed):
            self.init(
                "the limit of open files is \(limit), and this server needs at least \(needed): "
                    + "raise the hard limit (LimitNOFILE= in the unit file, ulimit -Hn in a shell), "
                    + "or lower SLUICE_LANES or SLUICE_EVENT_LOOPS",
                code: EX_OSERR)
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
            "the database is at schema \(database), but this binary knows only schema \(binary): "
                + "use the newer sluice"
        case .checksumDiffers(let number):
            "the database ran a different migration \(number): no release made this database"
        case .failed(let number, let name, let error):
            "migration \(number) (\(name)) failed: \(cause(of: error))"
        case .database(let error):
            cause(of: error)
        case .partitionsExist(let days):
            "partitions of \(days == 1 ? "one day" : "\(days) days") exist; the length can be chosen only "
                + "in an empty database"
        }
    }

    private static func text(_ failure: Citus.Failure) -> String {
        switch failure {
        case .extensionMissing:
            "the database has no extension citus, so nothing was distributed; the schema is up to "
                + "date. On plain PostgreSQL omit --citus. On a Citus cluster run \"create "
                + "extension citus\" on each node, and citus_add_node on the coordinator for each "
                + "worker"
        case .tooOld(let version):
            "the extension citus has version \(version); version 11 or later is required"
        case .notCoordinator:
            "this node is a worker of its cluster: set SLUICE_COORDINATOR_URL to the coordinator"
        case .noNodes:
            "the cluster has no node that may hold shards: add workers with citus_add_node"
        case .database(let error):
            "nothing was distributed: \(cause(of: error))"
        case .shards(let fault):
            "the cluster's shards can't be used: \(fault)"
        }
    }

    /// Runs a command's work; a failure ends the process with a complaint.
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
            LineLogHandler.writeToStandardError(
                "sluice: \(TerminalText.safe(String(line)))\n")
        }
        Foundation.exit(code)
    }
}

/// Explains a failure by the state of the system, with advice for the operator.
extension Complaint {
    /// Why a directory can't be created or written.
    static func cause(ofDirectory path: String) -> String {
        let advice =
            "set SLUICE_DATA_DIR or --data-dir to a directory that \(NSUserName()) may write"
        var place = URL(fileURLWithPath: path)
        while access(place.path, F_OK) != 0, place.path != "/" { place.deleteLastPathComponent() }
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: place.path, isDirectory: &isDirectory)
        let cause =
            if !isDirectory.boolValue {
                "\(place.path) is a file, not a directory"
            } else if access(place.path, W_OK) != 0 {
                "\(NSUserName()) may not write in \(place.path)"
            } else {
                "the directory can't be created or written"
            }
        return "\(path): \(cause); \(advice)"
    }

    /// Why the server can't listen on the address.
    static func cause(ofListening host: String, _ port: Int, _ fault: ListenFault) -> String {
        let cause =
            switch fault {
            case .refused(EADDRINUSE):
                "another program uses that port; choose another with --port or SLUICE_PORT, "
                    + "or 0 for any free port"
            case .refused(EADDRNOTAVAIL):
                "that is no address of this machine; choose another with --host or SLUICE_HOST"
            case .refused(EACCES):
                "\(NSUserName()) may not use that port; choose one above 1023 with --port or "
                    + "SLUICE_PORT"
            case .refused(let code): String(cString: strerror(code))
            case .hostUnknown:
                "the host name has no address; choose another with --host or SLUICE_HOST"
            case .other(let words): words
            }
        return "can't serve on \(host):\(port): \(cause)"
    }

    /// An error of the database or of the connection to it, with advice.
    static func cause(of error: PostgresError) -> String {
        let words = error.reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let code = error.sqlState?.description ?? ""
        let advice =
            switch code {
            case "": "is it running, and is DATABASE_URL right?"
            case "28000", "28P01": "check the user and the password in DATABASE_URL"
            case "3D000": "create it first, or name another in DATABASE_URL"
            case "42501": "grant this right to the role of DATABASE_URL"
            case "53300": "raise its max_connections, or lower SLUICE_LANES"
            default: "SQLSTATE \(code)"
            }
        return switch error.kind {
        case .settingsInvalid: "DATABASE_URL: \(words)"
        case .connectionFailed: "can't connect to the database: \(words) (\(advice))"
        case .sessionsShared, .eraRefused: words
        case .refused: "the database refuses: \(words) (\(advice))"
        case .connectionLost, .deadlineExceeded, .rowUnchanged, .protocolViolation, .poolExhausted:
            "the database: \(words) (\(error.kind.rawValue) \(code))"
        }
    }
}

extension Complaint {
    /// Files of FoodData Central can't be read.
    init(_ fault: FoodImportFault, directory: String) {
        switch fault {
        case .fileMissing(let name):
            self.init("\(directory): \(name) is missing or can't be opened", code: EX_NOINPUT)
        case .unreadable(let name):
            self.init("\(directory): \(name) can't be read to its end", code: EX_NOINPUT)
        case .columnMissing(let name, let column):
            self.init("\(directory): \(name) has no column \(column)", code: EX_DATAERR)
        case .malformed(let row):
            self.init(
                "\(directory): row \(row) is not valid CSV", code: EX_DATAERR)
        case .nutrientsMissing:
            self.init(
                "\(directory): nutrient.csv contains none of the required nutrients",
                code: EX_DATAERR)
        case .tooManyFoods(let max):
            self.init("\(directory): there are more than \(max) foods", code: EX_DATAERR)
        }
    }
}

/// Failures of the spool.
extension Complaint {
    static func code(_ error: SpoolError) -> Int32 {
        switch error {
        case .locked: EX_TEMPFAIL
        case .unknownVersion: EX_UNAVAILABLE
        case .disk, .recordTooLarge, .unknownRecord: EX_IOERR
        }
    }

    static func text(_ error: SpoolError) -> String {
        switch error {
        case .disk(let error):
            "the spool: \(error.operation.rawValue) \(error.name): "
                + String(cString: strerror(error.errno))
        case .locked(let path, let processID):
            "the spool in \(path) is in use by "
                + (processID.map { "process \($0)" } ?? "another process")
                + "; stop that one, or set SLUICE_DATA_DIR to another directory"
        case .unknownVersion(let segment, let version):
            "the spool has a file of another version of sluice (\(segment), format \(version)): "
                + "replay it with that version first"
        case .recordTooLarge(let bytes, let bytesMax):
            "a record of \(bytes) bytes exceeds the spool's limit (\(bytesMax))"
        case .unknownRecord(let id):
            "the spool has no record \(id.segment):\(id.offset)"
        }
    }
}

extension Complaint {
    /// There is no status to show.
    init(_ loss: StatusWatch.Loss, _ url: String) {
        let code =
            switch loss {
            case .keyRefused: EX_NOPERM
            case .insecure, .otherForm: EX_PROTOCOL
            case .unreachable, .silent, .ended, .unknown, .refused: EX_UNAVAILABLE
            }
        self.init("\(url): \(Self.text(loss))", code: code)
    }

    static func text(_ loss: StatusWatch.Loss) -> String {
        switch loss {
        case .unreachable: "nobody answers"
        case .insecure:
            "no TLS connection: the certificate is not trusted here or is for another name, or the "
                + "server does not use TLS"
        case .silent: "the server does not answer in time"
        case .ended: "the server closed the connection"
        case .keyRefused:
            "the key is missing or may not read the status: use one of SLUICE_APP_KEYS, or one "
                + "from `sluice keys create NAME --scope status`; see --key"
        case .unknown: "this server is not a Sluice with a status"
        case .refused(let status): "the status is unavailable now (\(status))"
        case .otherForm:
            "the server's report has another format: use the server's version of sluice"
        }
    }
}
