public import Auth
import Synchronization

/// How long an admitted client may stay. A socket lives longer than a request, so its credentials
/// may expire or be revoked meanwhile. Then REST answers 401, and the socket is closed.
public struct SocketPass: Sendable {
    private let isInForce: @Sendable () -> Bool
    /// The reason in the close frame.
    let ending: String
    /// No credentials were required, so the client's address counts.
    let isOfAnybody: Bool

    /// For tests, and where no credentials are required.
    public static let endless = SocketPass(ending: "", isOfAnybody: true) { true }

    /// - Parameter isInForce: called about once a second and before each message; it must be quick.
    init(
        ending: String, isOfAnybody: Bool = false, _ isInForce: @escaping @Sendable () -> Bool
    ) {
        self.ending = ending
        self.isOfAnybody = isOfAnybody
        self.isInForce = isInForce
    }

    /// The pass of a caller whom the policy has admitted with these credentials.
    public init(
        _ caller: Caller, _ credentials: Credentials, _ policy: AccessPolicy, _ scope: KeyScope
    ) {
        let pass = Pass(caller, credentials)
        let ending =
            switch pass {
            case .nothing: "a token or a key is needed now"
            case .token: "the token has expired"
            case .key: "the key is not valid any more"
            }
        self.init(ending: ending, isOfAnybody: pass == .nothing) {
            policy.isInForce(pass, for: scope)
        }
    }

    var holds: Bool { isInForce() }
}
