import Auth
import HTTP

/// Who may call; TLS; WebSockets.
extension Settings {
    static let callers: [Setting] = [
        .secret(
            "SLUICE_JWT_SECRET", \.callers.tokenSecret,
            rule: "a secret of 32 bytes or more",
            "Secret for users' tokens (JWT; sub is the user) that are signed with HS256. Blank: "
                + "such tokens are refused.",
            isValid: { $0.utf8.count >= 32 }),
        .text(
            "SLUICE_JWT_KEYS", \.callers.tokenKeysPath,
            "JWKS file with public keys for users' tokens that are signed with ES256 or RS256. It "
                + "is read again when it changes."),
        .text(
            "SLUICE_JWT_ISSUER", \.callers.tokenIssuer,
            "Required iss of a token. Blank: any."),
        .text(
            "SLUICE_JWT_AUDIENCE", \.callers.tokenAudience,
            "A required member of a token's aud. Blank: none."),
        .flag(
            "SLUICE_JWT_EXPIRY_NEEDED", \.callers.needsTokenExpiry,
            "Refuse tokens without exp. Off: such tokens are valid until their key is replaced."),
        .flag(
            "SLUICE_METRICS_NEED_KEY", \.edge.metricsNeedKey,
            "GET /metrics requires a key with the scope status, like the status page, if "
                + "credentials are configured. Off: everybody who reaches the port can read it."),
        .secret(
            "SLUICE_APP_KEYS", \.callers.applicationKeys,
            rule: "keys of 1 to \(ConfiguredKeys.keyBytesMax) printable ASCII characters, "
                + "separated by commas",
            "Keys for all routes except /ingest, for any user. Keys from `sluice keys create "
                + "--scope` work too.",
            isValid: { list in
                guard let keys = try? ConfiguredKeys(list) else { return false }
                return keys.count > 0
            }),
        .flag(
            "SLUICE_ALLOW_OPEN", \.callers.isOpenAllowed,
            "Serve users' apps without token or key on an address that others can reach, and under "
                + "any Host. On loopback this is always so, unless a secret or a key is configured. "
                + "The status page, its events and its map still need a key (sluice keys create "
                + "NAME --scope status), except from this machine on loopback."),
        .flag(
            "SLUICE_TRUST_PATH_USER", \.callers.trustsPathUser,
            "With a secret or keys: captures and the journal, whose paths name the user, need no "
                + "token or key; one that is sent is checked, and whatever is sent in its place, such "
                + "as Authorization: Basic, gets a 401. Meal logs still require one, and it "
                + "identifies their user. For a network whose clients are all trusted."),
    ]

    static let transport: [Setting] = [
        .text(
            "SLUICE_TLS_CERT", \.callers.certificatePath,
            "PEM file with the server's certificate chain. The port then speaks only TLS, with "
                + "HTTP/2 too. It is read again when it changes. Blank: plain HTTP."),
        .text(
            "SLUICE_TLS_KEY", \.callers.keyPath,
            "PEM file with the certificate's private key, without a passphrase."),
        .integer(
            "SLUICE_SOCKETS_MAX", \.edge.sockets.socketsMax, 0...1_000_000,
            "Open WebSockets, in addition to SLUICE_CONNECTIONS_MAX; further ones get a 503."),
        .integer(
            "SLUICE_SOCKETS_PER_USER_MAX", \.edge.sockets.socketsPerUserMax, 1...1_000_000,
            "Open WebSockets of one user; further ones get a 429."),
        .bytes(
            "SLUICE_SOCKET_MESSAGE_BYTES_MAX", \.edge.sockets.messageBytesMax, 128...(16 << 20),
            "Size of a WebSocket message; a larger one closes the socket with 1009."),
        .integer(
            "SLUICE_SOCKET_FRAGMENTS_MAX", \.edge.sockets.fragmentsMax, 1...1_000_000,
            "Frames of one message; more close the socket with 1008."),
        .integer(
            "SLUICE_SOCKET_CONTROL_FRAMES_PER_SECOND_MAX",
            \.edge.sockets.controlFramesPerSecondMax, 1...1_000_000,
            "Pings and pongs of one socket per second; more close it with 1008."),
        .integer(
            "SLUICE_SOCKET_IN_FLIGHT_MAX", \.edge.sockets.inFlightMax, 1...100_000,
            "Messages of one socket that are not committed yet. At this limit the server reads no "
                + "more from it."),
        .bytes(
            "SLUICE_SOCKET_OUTBOUND_BYTES_MAX", \.edge.sockets.outboundBytesMax,
            1024...(1 << 30),
            "Bytes queued for a client that reads too slowly; more close its socket with 1013."),
        .duration(
            "SLUICE_SOCKET_IDLE_TIMEOUT", \.edge.sockets.idleTimeout, shortest...longest,
            "Time without a message in either direction; after it a meal log socket is closed."),
        .duration(
            "SLUICE_SOCKET_PING_INTERVAL", \.edge.sockets.pingInterval, shortest...longest,
            "Time without a byte from the client; after it the server sends a ping."),
        .duration(
            "SLUICE_SOCKET_PONG_TIMEOUT", \.edge.sockets.pongTimeout, shortest...longest,
            "Time from a ping to the next byte from the client; after it the connection is "
                + "closed."),
        .duration(
            "SLUICE_SOCKET_MESSAGE_TIMEOUT", \.edge.sockets.messageTimeout, shortest...longest,
            "Time from a message's first frame to its last; after it the socket is closed."),
        .duration(
            "SLUICE_SOCKET_CLOSE_TIMEOUT", \.edge.sockets.closeTimeout, shortest...longest,
            "Time for a client to answer a close; after it the connection is closed."),
    ]
}
