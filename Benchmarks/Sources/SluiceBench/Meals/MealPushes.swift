import Load

/// The frames from users' sockets, each with its time of arrival. Used on one thread.
final class MealPushes: SocketWorkload {
    struct Push {
        let user: Int
        /// The time of arrival in monotonic nanoseconds, taken before the frame is copied or
        /// parsed.
        let at: UInt64
        /// Parsed after the run.
        let frame: [UInt8]
    }

    private let users: MealUsers
    private(set) var pushes: [Push] = []

    init(_ users: MealUsers) {
        self.users = users
        pushes.reserveCapacity(10_000)
    }

    func path(of socket: Int) -> String { "/ws/meal-logs?token=\(users.tokens[socket])" }

    func next(of socket: Int) -> String? { nil }

    func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews {
        pushes.append(Push(user: socket, at: monotonicNanoseconds(), frame: Array(text)))
        return .unasked
    }
}
