public import Access
import Meals
import Postgres
import Readings

/// The sockets of meal logs: `/ws/meal-logs`, and `/api/v1/consultations/{id}/ws` where meals may
/// also be written.
///
/// - **Whose it is** the token says. A key, and everybody where nothing has to be shown, says it with
///   `?user_id=` (``ActingUser``). A consultation is its user's alone.
/// - **Connecting is subscribing.** First comes `connected`, then the results that no socket of the
///   user has had, oldest first, then each result as it is committed, on every node. A socket gets
///   none of them twice.
/// - **A result is had** once the kernel has taken its frame for one socket (``NewsFeed``); its row is
///   deleted then. A process that ends between the two lets the next socket have it again.
/// - A `message` on a consultation's socket is a unit of work as a log over HTTP is. It is answered by
///   its result: `meal_log.completed`, or an `error` when it is no meal.
/// - It is closed with 1008 when its token expires, or its key.
/// - The socket stays open after any error; ``SocketConfiguration/idleTimeout`` without a message
///   either way ends it.
public struct MealSockets: SocketApplication {
    /// Decides for whom somebody who shows this may connect.
    typealias Admitting =
        @Sendable (_ credentials: Credentials, _ route: SocketRoute) async -> SocketAdmission

    /// Of the news of results.
    public let topic = "meal"
    /// They are: what finishes meanwhile waits for the next one.
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

    /// With another in the place of access.
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

    /// Knows the two paths; of a consultation's, the id is the route's subject.
    public func match(path: [String]) -> SocketRoute? {
        if path == ["ws", "meal-logs"] { return SocketRoute(user: nil) }
        guard path.count == 5, path[0...2] == ["api", "v1", "consultations"], path[4] == "ws",
            !path[3].isEmpty
        else { return nil }
        return SocketRoute(user: nil, subject: path[3])
    }

    /// Asks the policy, and the database whose consultation it is.
    public func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission {
        await admits(credentials, route)
    }

    /// One conversation.
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
        case .forbidden: return .forbidden
        case .otherSite: return .otherSite
        case .unknown: return .unavailable
        }
        let user: String
        do throws(RouteFailure) {
            user = try ActingUser.of(caller, named: route.namedUser)
        } catch {
            return error == .forbidden ? .forbidden : .userMissing
        }
        let pass = SocketPass(caller, credentials, services.access, .meals)
        guard let consultation = route.subject else { return .admitted(user: user, pass: pass) }
        let answer = try? await services.database.withConnection {
            try Consultations.access(consultation, user: user, on: $0)
        }
        switch answer {
        case .done: return .admitted(user: user, pass: pass)
        case .foreign: return .forbidden
        case .notFound: return .unknown
        case nil: return .unavailable
        }
    }
}
