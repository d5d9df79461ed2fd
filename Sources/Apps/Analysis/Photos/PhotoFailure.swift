/// Why a photo has no bytes. Has no part of the URL.
public enum PhotoFailure: Error, Equatable, Sendable {
    /// The URL is of a kind that is not fetched here.
    case urlInvalid
    /// The allow-list does not have the host, or a redirect leads to another host.
    case hostNotAllowed
    /// The host's name resolves to this machine or to another address that is not public.
    case addressRefused
    /// This server's store has no such file.
    case missing
    /// The photo has more bytes than this.
    case tooLarge(bytesMax: Int)
    /// The host's answer was not 200; 310 means too many redirects.
    case status(Int)
    /// The answer was not complete in time.
    case timedOut
    /// The host does not exist, no connection was possible, or it ended early.
    case unreachable
    /// This server's store could not be read.
    case storeFailed

    /// Whether another attempt in a minute may succeed.
    public var mayPass: Bool {
        switch self {
        case .timedOut, .unreachable, .storeFailed: true
        case .status(let status): status == 429 || (500...599).contains(status)
        default: false
        }
    }

    /// A short, stable text for logs and for the column `error`.
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
