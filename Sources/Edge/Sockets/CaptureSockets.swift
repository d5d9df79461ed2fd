public import Access
import Captures
public import Readings

/// The sockets of memory captures: `/ws/ios/{user_id}`, one frame a capture, one answer a frame.
///
/// - A capture is acknowledged when it is committed, or on disk when the database is away. Until then
///   it counts as unanswered, and ``SocketConfiguration/inFlightMax`` of them keep the socket from
///   being read.
/// - That a capture has been analysed is told to all of its user's sockets, or to the next one
///   (``NewsFeed``).
/// - The socket stays open after any error, and for as long as its client answers pings.
/// - What a frame means, and the texts of all answers, are the capture system's; this type knows
///   only when which one is due.
public struct CaptureSockets: SocketApplication {
    /// Makes a frame into a unit of this user.
    public typealias Reading = @Sendable (_ frame: [UInt8], _ user: String) -> ReadCapture
    /// Decides whether somebody who shows this may connect as this user.
    public typealias Admitting =
        @Sendable (_ credentials: Credentials, _ user: String) async -> SocketAdmission

    /// Of the news that a capture has been analysed.
    public let topic = CaptureReply.topic
    let acknowledgeWithin: Duration
    /// A phone may be quiet for hours.
    public let endsIdleSockets = false
    let news: any PendingNews
    let read: Reading
    private let admits: Admitting

    /// - Parameters:
    ///   - acknowledgeWithin: from a frame to its commit; then the client is told to send it again,
    ///     though it may still be committed.
    ///   - policy: who may connect.
    ///   - news: what waits for users who were away.
    ///   - clock: the wall clock.
    public init(
        acknowledgeWithin: Duration = .seconds(30), policy: AccessPolicy,
        news: any PendingNews, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            acknowledgeWithin: acknowledgeWithin, news: news,
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
                case .admitted(let caller):
                    .admitted(user: user, pass: SocketPass(caller, credentials, policy, .captures))
                case .unauthorized: .unauthorized
                case .forbidden: .forbidden
                case .otherSite: .otherSite
                case .unknown: .unavailable
                }
            })
    }

    /// With other systems in the place of captures and access.
    public init(
        acknowledgeWithin: Duration = .seconds(30), news: any PendingNews,
        read: @escaping Reading, admit: @escaping Admitting
    ) {
        self.acknowledgeWithin = acknowledgeWithin
        self.news = news
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
        let session = CaptureSession(socket, self)
        session.begin()
        return session
    }
}
