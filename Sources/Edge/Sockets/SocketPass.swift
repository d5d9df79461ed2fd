import Access

/// How long somebody may stay who was let in. A socket lives longer than a request: what its client
/// has shown may expire or be withdrawn, and then REST says 401 and the socket goodbye.
public struct SocketPass: Sendable {
    private let isInForce: @Sendable () -> Bool
    /// What the client is told at the end.
    let ending: String

    /// For tests, and for who needs to show nothing.
    public static let endless = SocketPass(ending: "") { true }

    /// - Parameter isInForce: asked about once a second and before anything is said; it must be quick.
    init(ending: String, _ isInForce: @escaping @Sendable () -> Bool) {
        self.ending = ending
        self.isInForce = isInForce
    }

    /// The pass of a caller whom the policy has admitted by these credentials.
    init(
        _ caller: Caller, _ credentials: Credentials, _ policy: AccessPolicy, _ scope: KeyScope
    ) {
        let pass = Pass(caller, credentials)
        let ending =
            switch pass {
            case .nothing: "a token or a key is needed now"
            case .token: "the token has expired"
            case .key: "the key is not valid any more"
            }
        self.init(ending: ending) { policy.isInForce(pass, for: scope) }
    }

    var holds: Bool { isInForce() }
}
