public import Access
import Captures
public import Readings

/// The sockets of memory captures: `/ws/ios/{user_id}`, one frame a capture, one answer a frame.
///
/// - A capture is acknowledged when it is committed, or on disk when the database is away. Until then
///   it counts as unanswered, and ``SocketConfiguration/inFlightMax`` of them keep the socket from
///   being read.
/// - The socket stays open after any error.
/// - What a frame means, and the texts of all answers, are the capture system's; this type knows
///   only when which one is due.
public struct CaptureSockets: SocketApplication {
    /// Makes a frame into a unit of this user.
    public typealias Reading = @Sendable (_ frame: [UInt8], _ user: String) -> ReadCapture
    /// Decides whether somebody who shows this may connect as this user.
    public typealias Admitting =
        @Sendable (_ credentials: Credentials, _ user: String) async -> SocketAdmission

    /// In metrics and logs.
    public let name = "captures"
    /// As in the notices that say what has become of a capture.
    public let topic = CaptureReply.topic
    let acknowledgeWithin: Duration
    let read: Reading
    private let admits: Admitting

    /// - Parameters:
    ///   - acknowledgeWithin: from a frame to its commit; then the client is told to send it again,
    ///     though it may still be committed.
    ///   - policy: who may connect.
    ///   - clock: the wall clock.
    public init(
        acknowledgeWithin: Duration = .seconds(30), policy: AccessPolicy,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            acknowledgeWithin: acknowledgeWithin,
            read: { frame, user in
                switch frame.withUnsafeBytes({ CaptureFrame.decode($0) }) {
                case .success(let capture):
                    .unit(capture.unit(user: user, receivedAt: clock())) {
                        CaptureReply.reply(to: capture, $0)
                    }
                case .failure(let fault):
                    .refused(reply: CaptureReply.refusal(fault))
                }
            },
            admit: { credentials, user in
                switch await policy.admit(credentials, user: user, scope: .captures) {
                case .admitted: .admitted(user: user)
                case .unauthorized: .unauthorized
                case .forbidden: .forbidden
                case .otherSite: .otherSite
                case .unknown: .unavailable
                }
            })
    }

    /// With other systems in the place of captures and access.
    public init(
        acknowledgeWithin: Duration = .seconds(30), read: @escaping Reading,
        admit: @escaping Admitting
    ) {
        self.acknowledgeWithin = acknowledgeWithin
        self.read = read
        admits = admit
    }

    /// Knows `/ws/ios/{user_id}`, where the user's id is one that can be stored.
    public func match(path: [String]) -> SocketRoute? {
        guard path.count == 3, path[0] == "ws", path[1] == "ios", Capture.isUserID(path[2])
        else { return nil }
        return SocketRoute(user: path[2])
    }

    /// Asks the policy.
    public func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission {
        guard let user = route.user else { return .unknown }
        return await admits(credentials, user)
    }

    /// One conversation.
    public func open(_ socket: any OpenSocket) -> any SocketSession {
        CaptureSession(socket, self)
    }
}
