public import Auth
import Captures
public import HTTP
public import NewsSockets
public import Readings

/// The sockets of memory captures: `/ws/ios/{user_id}`, one capture per frame, one answer per
/// frame.
///
/// - A capture is acknowledged when it is committed or, if the database is unreachable, when it is
///   on disk. Until then it is unanswered, and a socket with ``SocketConfiguration/inFlightMax``
///   unanswered captures is not read.
/// - When a capture has been analysed, all of its user's sockets get a notice, or else the next one
///   (``NewsFeed``).
/// - The socket stays open after any error, while its client answers pings.
/// - The capture system defines what a frame means and the texts of all answers. This type only
///   decides when to send which answer.
public struct CaptureSockets: SocketApplication {
    /// Turns a frame into a unit of this user.
    public typealias Reading = @Sendable (_ frame: [UInt8], _ user: String) -> ReadCapture
    /// Decides whether a client with these credentials may connect as this user.
    public typealias Admitting =
        @Sendable (_ credentials: Credentials, _ user: String) async -> SocketAdmission

    /// The topic of the news that a capture has been analysed.
    public let topic = CaptureReply.topic
    let acknowledgeWithin: Duration
    /// A phone may be quiet for hours.
    public let endsIdleSockets = false
    let news: any PendingNews
    let read: Reading
    private let admits: Admitting

    /// - Parameters:
    ///   - acknowledgeWithin: time from a frame to its commit; then the client is asked to send it
    ///     again, though it may still be committed.
    ///   - policy: who may connect.
    ///   - news: pending news of users who were not connected.
    ///   - times: other captures are refused.
    ///   - clock: the wall clock.
    public init(
        acknowledgeWithin: Duration = .seconds(30), policy: AccessPolicy,
        news: any PendingNews, times: CaptureTimes = CaptureTimes(),
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.init(
            acknowledgeWithin: acknowledgeWithin, news: news,
            read: { frame, user in
                let now = clock()
                let accepted = times.accepted(at: now)
                switch frame.withUnsafeBytes({ CaptureFrame.decode($0, accepting: accepted) }) {
                case .success(let capture):
                    return .unit(capture.unit(user: user, receivedAt: now)) {
                        CaptureReply.reply(to: capture, $0)
                    }
                case .failure(let fault):
                    return .refused(reply: CaptureReply.refusal(fault))
                }
            },
            admit: { credentials, user in
                switch await policy.admit(credentials, user: user, scope: .captures) {
                case .admitted(let caller):
                    .admitted(user: user, pass: SocketPass(caller, credentials, policy, .captures))
                case .unauthorized: .unauthorized
                case .forbidden: .forbidden()
                case .scopeMissing: .forbidden(lacking: .captures)
                case .otherSite: .otherSite
                case .unknown: .unavailable
                }
            })
    }

    /// With substitutes for captures and access, for tests.
    public init(
        acknowledgeWithin: Duration = .seconds(30), news: any PendingNews,
        read: @escaping Reading, admit: @escaping Admitting
    ) {
        self.acknowledgeWithin = acknowledgeWithin
        self.news = news
        self.read = read
        admits = admit
    }

    /// `/ws/ios/{user_id}`, if the user's id is one that can be stored.
    public var routes: [Route] {
        [
            .socket("/ws/ios/{user_id}", label: "other captures", self) { parameters in
                Capture.isUserID(parameters[0]) ? SocketRoute(user: parameters[0]) : nil
            }
        ]
    }

    /// Asks the policy.
    public func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission {
        guard let user = route.user else { return .unknown }
        return await admits(credentials, user)
    }

    /// Starts the session of one socket.
    public func open(_ socket: any OpenSocket) -> any SocketSession {
        let session = CaptureSession(socket, self)
        session.begin()
        return session
    }
}
