/// Why there are no bytes of a photo. Carries no URL.
public enum PhotoFailure: Error, Equatable, Sendable {
    /// No URL of a kind that is fetched here.
    case urlInvalid
    /// No allow-list names the host, or a redirect leads to another one.
    case hostNotAllowed
    /// The host's name leads to this machine or into a private network.
    case addressRefused
    /// Our own store has no such file.
    case missing
    /// More bytes than the limit.
    case tooLarge(bytesMax: Int)
    /// The host's answer was no 200.
    case status(Int)
    /// No whole answer in time.
    case timedOut
    /// No such host, no connection, or it ended early.
    case unreachable
    /// Our own store could not be asked.
    case storeFailed

    /// It may be there in a minute.
    public var mayPass: Bool {
        switch self {
        case .timedOut, .unreachable, .storeFailed: true
        case .status(let status): status == 429 || (500...599).contains(status)
        default: false
        }
    }

    /// For logs: short and stable.
    public var word: String {
        switch self {
        case .urlInvalid: "photo_url_invalid"
        case .hostNotAllowed: "photo_host_not_allowed"
        case .addressRefused: "photo_address_refused"
        case .missing: "photo_missing"
        case .tooLarge: "photo_too_large"
        case .status(let status): "photo_http_\(status)"
        case .timedOut: "photo_timed_out"
        case .unreachable: "photo_unreachable"
        case .storeFailed: "photo_store_failed"
        }
    }
}
