import Glibc
public import OperatorErrors

extension LoadOptions.Failure: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .distrusted(let reason): "the server's certificate is not trusted: \(reason)"
        case .noAnswer(let refused):
            refused > 0
                ? "nobody answered; \(refused) connections were refused" : "nobody answered"
        case .nothingAccepted(let statuses):
            "nothing was accepted; the answers were "
                + statuses.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
                .joined(separator: ", ")
        case .nothingStored(let count, let reason):
            "nothing was stored; all \(count) readings were quarantined"
                + (reason.map { ": \($0)" } ?? "")
        case .fileUnwritable(let path): "\(path): can't be written"
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .distrusted:
            "give its authority with --ca-file, or accept any certificate with --insecure"
        case .noAnswer(let refused): refused > 0 ? "is a server running?" : nil
        case .nothingAccepted(let statuses):
            statuses.max { $0.value < $1.value }.map { Self.likelyCause(of: $0.key) }
        case .nothingStored:
            "does the server take readings of that time? see --days-ago and SLUICE_READING_AGE_MAX"
        case .fileUnwritable: nil
        }
    }

    private static func likelyCause(of status: Int) -> String {
        switch status {
        case 200..<300: "is it a Sluice server, and the path that of --format?"
        case 300..<400: "the server redirects: give the URL that it redirects to"
        case 401:
            "the key is missing or wrong: give it with --key or SLUICE_INGEST_API_KEY, or run the "
                + "command with sudo to use the service's"
        case 403: "the key has another scope, or is bound to a user or a device"
        case 404, 405: "the path is wrong: /ingest, or that of --format"
        case 400, 415, 422: "does the path take these bodies? see --format and --content-type"
        case 413: "the bodies are larger than the server takes: a smaller --batch"
        case 429: "the quota or the rate of the key is used up"
        default: "ask sluice doctor, and read the server's log"
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .distrusted: EX_PROTOCOL
        case .noAnswer: EX_UNAVAILABLE
        case .nothingAccepted(let statuses):
            statuses.keys.contains { $0 == 401 || $0 == 403 } ? EX_NOPERM : EX_UNAVAILABLE
        case .nothingStored: EX_UNAVAILABLE
        case .fileUnwritable: EX_CANTCREAT
        }
    }
}
