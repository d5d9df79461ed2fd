import Auth
import HTTPTypes

/// What is no request at all, or finds no room.
extension RequestFailure {
    static let headTimedOut = RequestFailure(.requestTimeout, "The request came too slowly")
    static let headTooLarge = RequestFailure(
        .requestHeaderFieldsTooLarge, "The request's header fields are too large")
    static let malformed = RequestFailure(.badRequest, "Not a valid HTTP request")
    static let hostAmbiguous = RequestFailure(
        .badRequest, "The request must name one host, in one Host field")
    static let transferCodingUnknown = RequestFailure(
        .notImplemented, "The transfer coding must be chunked and nothing else")

    static func tooManyConnections(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "Too many connections, come again later", retryAfter: retryAfter)
    }

    static func answersUnread(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "Too many answers wait to be read, come again later",
            retryAfter: retryAfter)
    }

    static func stopping(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "The server is stopping, come again later",
            retryAfter: retryAfter)
    }
}

/// What is no WebSocket where one is expected, or none that is let in.
extension RequestFailure {
    private static let upgradeFields: HTTPFields = [
        .upgrade: "websocket", HTTPField.Name("Sec-WebSocket-Version")!: "13",
    ]

    static let upgradeRequired = RequestFailure(
        .upgradeRequired, "This path is for WebSockets (RFC 6455, version 13)",
        headers: upgradeFields)
    static let upgradeTooLate = RequestFailure(
        .upgradeRequired, "Only the first request of a connection can be an upgrade",
        headers: upgradeFields)
    static let upgradeMalformed = RequestFailure(
        .badRequest, "Not a valid WebSocket handshake")

    static func socketForbidden(lacking scope: KeyScope?) -> RequestFailure {
        scope.map { .scopeMissing($0) } ?? RequestFailure(.forbidden, "Forbidden")
    }

    static func tooManySockets(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "Too many WebSockets, come again later", retryAfter: retryAfter)
    }

    static func socketShareUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests, "Too many of the open WebSockets are yours, come again later",
            retryAfter: retryAfter)
    }
}
