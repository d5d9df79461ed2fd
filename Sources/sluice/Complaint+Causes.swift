import Edge
import Foundation
import Postgres

/// What the surroundings tell about a failure, and what an operator can do about it.
extension Complaint {
    /// Why a directory can't be made, or nothing can be made in it.
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
                "the directory can't be made or written"
            }
        return "\(path): \(cause); \(advice)"
    }

    /// Why nothing can listen there.
    static func cause(ofListening host: String, _ port: Int, _ fault: ListenFault) -> String {
        let cause =
            switch fault {
            case .refused(EADDRINUSE):
                "another program uses that port; choose another with --port or SLUICE_PORT, "
                    + "or 0 for any that is free"
            case .refused(EADDRNOTAVAIL):
                "that is no address of this machine; choose another with --host or SLUICE_HOST"
            case .refused(EACCES):
                "\(NSUserName()) may not use that port; choose one above 1023 with --port or "
                    + "SLUICE_PORT"
            case .refused(let code): String(cString: strerror(code))
            case .hostUnknown:
                "the name has no address; choose another with --host or SLUICE_HOST"
            case .other(let words): words
            }
        return "can't serve on \(host):\(port): \(cause)"
    }

    /// What the database or the way to it lacks.
    static func cause(of error: PostgresError) -> String {
        // libpq asks that, too; the advice below does.
        let message = error.reason.replacingOccurrences(
            of: #"Is the server running [^?]*\?"#, with: "", options: .regularExpression)
        let words = message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let code = error.sqlState?.description ?? ""
        let advice =
            switch code {
            case "": "is it running, and is DATABASE_URL right?"
            case "28000", "28P01": "check the user and the password in DATABASE_URL"
            case "3D000": "create it first, or name another in DATABASE_URL"
            case "42501": "give the role of DATABASE_URL that right"
            case "53300": "raise its max_connections, or lower SLUICE_LANES"
            default: "SQLSTATE \(code)"
            }
        return switch error.kind {
        case .settingsInvalid: "DATABASE_URL: \(words)"
        case .connectionFailed: "can't connect to the database: \(words) (\(advice))"
        case .sessionsShared, .eraRefused: words
        case .refused: "the database refuses: \(words) (\(advice))"
        case .connectionLost, .deadlineExceeded, .protocolViolation, .poolExhausted:
            "the database: \(words) (\(error.kind.rawValue) \(code))"
        }
    }
}
