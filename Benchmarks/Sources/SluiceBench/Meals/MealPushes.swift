import Fleet
import Load

/// What comes over users' sockets, with the moment of its coming. Used on one thread.
final class MealPushes: SocketWorkload {
    struct Push {
        let user: Int
        /// In monotonic nanoseconds, before anything of it was looked at.
        let at: UInt64
        /// Read when the run is over.
        let frame: [UInt8]
    }

    private let users: MealUsers
    private(set) var pushes: [Push] = []

    init(_ users: MealUsers) {
        self.users = users
        pushes.reserveCapacity(10_000)
    }

    func path(of socket: Int) -> String { "/ws/meal-logs?token=\(users.tokens[socket])" }

    func next(of socket: Int, into text: inout ByteWriter) -> Bool { false }

    func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews {
        pushes.append(Push(user: socket, at: monotonicNanoseconds(), frame: Array(text)))
        return .unasked
    }
}
