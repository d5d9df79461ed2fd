public import Auth
public import HTTP
import Meals
public import NewsSockets
import Postgres
import Readings

/// The sockets of meal logs: `/ws/meal-logs`, and `/api/v1/consultations/{id}/ws` where meals may
/// also be logged.
///
/// - **The token names the user.** API-key and anonymous callers pass `?user_id=` (``ActingUser``).
///   Only its user may connect to a consultation.
///   A client without valid credentials is told so in a frame, `AUTH_ERROR`, before the socket is
///   closed; whether the consultation exists makes no difference.
/// - **Connecting is subscribing.** A socket first gets `connected`, then the results that no
///   socket of the user has confirmed, oldest first, then each result as it is committed, on any
///   node. A socket gets no result twice.
/// - **A result is delivered** once a client has confirmed it on one socket (``NewsFeed``); then
///   its row is deleted. If the socket or the process ends before, the next socket gets the result
///   again.
/// - A `message` on a consultation's socket is a unit of work, like a log over HTTP. Its result is
///   the answer: `meal_log.completed`, or an `error` if it is no meal, which only the consultation's
///   sockets get, also at the next connect.
/// - The socket is closed with 1008 when its token or key expires, also after `AUTH_ERROR`.
/// - The socket stays open after any error. It is closed after ``SocketConfiguration/idleTimeout``
///   without a message in either direction.
public struct MealSockets: SocketApplication {
    /// Decides as which user a client with these credentials may connect.
    typealias Admitting =
        @Sendable (_ credentials: Credentials, _ route: SocketRoute) async -> SocketAdmission

    /// The topic of results.
    public let topic = "meal"
    /// Idle sockets are closed; results that finish meanwhile are delivered to the next socket.
    public let endsIdleSockets = true
    let news: any PendingNews
    let acknowledgeWithin: Duration
    let estimatedSeconds: Int
    let clock: @Sendable () -> Timestamp
    private let admits: Admitting

    /// - Parameter services: those of the routes.
    public init(_ services: MealServices, news: any PendingNews) {
        self.init(
            news: news, acknowledgeWithin: services.acknowledgeWithin,
            estimatedSeconds: services.estimatedSeconds, clock: services.clock
        ) { credentials, route in
            await Self.admit(credentials, route, services)
        }
    }

    /// With a substitute for access, for tests.
    init(
        news: any PendingNews, acknowledgeWithin: Duration = .seconds(30),
        estimatedSeconds: Int = 1, clock: @escaping @Sendable () -> Timestamp,
        admit: @escaping Admitting
    ) {
        self.news = news
        self.acknowledgeWithin = acknowledgeWithin
        self.estimatedSeconds = estimatedSeconds
        self.clock = clock
        admits = admit
    }

    /// The two paths; for a consultation, its id is the route's subject.
    public var routes: [Route] {
        [
            .socket("/api/v1/consultations/{id}/ws", self) { parameters in
                // As the database writes ids, and with them the news of a consultation.
                SocketRoute(user: nil, subject: parameters[0].lowercased())
            },
            .socket("/ws/meal-logs", self) { _ in SocketRoute(user: nil) },
        ]
    }

    /// Asks the policy, and the database for the consultation's user.
    public func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission {
        await admits(credentials, route)
    }

    /// The frame with `AUTH_ERROR`.
    public func authenticationError() -> String? {
        MealFrame.unauthenticated(now: clock())
    }

    /// Starts the session of one socket.
    public func open(_ socket: any OpenSocket) -> any SocketSession {
        let session = MealSession(socket, self)
        session.begin()
        return session
    }

    private static func admit(
        _ credentials: Credentials, _ route: SocketRoute, _ services: MealServices
    ) async -> SocketAdmission {
        let caller: Caller
        switch await services.access.admit(credentials, user: nil, scope: .meals) {
        case .admitted(let admitted): caller = admitted
        case .unauthorized: return .unauthorized
        case .forbidden: return .forbidden()
        case .scopeMissing: return .forbidden(lacking: .meals)
        case .otherSite: return .otherSite
        case .unknown: return .unavailable
        }
        let user: String
        do throws(RequestFailure) {
            user = try ActingUser.of(caller, named: route.namedUser)
        } catch {
            return error == .forbidden ? .forbidden() : .userMissing
        }
        let pass = SocketPass(caller, credentials, services.access, .meals)
        guard let consultation = route.subject else { return .admitted(user: user, pass: pass) }
        let answer = try? await services.database.withConnection {
            try Consultations.access(consultation, user: user, on: $0)
        }
        switch answer {
        case .done: return .admitted(user: user, pass: pass)
        // The same, so that nobody learns whether another user's consultation exists.
        case .foreign, .notFound: return .unknown
        case nil: return .unavailable
        }
    }
}
