import Auth
import Ingest
import NIOCore

@testable import HTTP

/// An application whose sessions echo messages, offer a unit for `unit:…`, and send a long text for
/// `long:COUNT`.
struct TestSockets: SocketApplication {
    let topic = "test"
    var endsIdleSockets = true

    static let kind = UnitKind(name: "test", statement: "SELECT 1")

    /// `/test/{user}` is open, and any token says who the caller is; `/locked/{user}` requires the
    /// token `good-token`.
    var routes: [Route] {
        ["test", "locked"].map { (name: String) in
            .socket("/\(name)/{user}", label: "other", self) {
                SocketRoute(user: $0[0], subject: name)
            }
        }
    }

    func admit(_ route: SocketRoute, _ credentials: Credentials) async -> SocketAdmission {
        guard let user = route.user else { return .unknown }
        if route.subject == "test" {
            let isOfAnybody = credentials.token == nil
            return .admitted(
                user: user, pass: SocketPass(ending: "", isOfAnybody: isOfAnybody) { true })
        }
        guard let token = credentials.token else { return .unauthorized }
        return token == "good-token" ? .admitted(user: user) : .forbidden()
    }

    func open(_ socket: any OpenSocket) -> any SocketSession { Session(socket) }

    final class Session: SocketSession {
        private unowned let socket: any OpenSocket
        private var units: UInt64 = 0

        init(_ socket: any OpenSocket) {
            self.socket = socket
        }

        func received(_ text: ByteBuffer) {
            let text = String(buffer: text)
            if text.hasPrefix("unit:") {
                units += 1
                let unit = WorkUnit(
                    kind: TestSockets.kind, owner: socket.user, payload: String(text.dropFirst(5)))
                let offer = socket.offer(unit, tag: units)
                if offer != .taken { socket.send("\(offer)") }
            } else if text.hasPrefix("long:"), let count = Int(text.dropFirst(5)) {
                socket.send(String(repeating: "x", count: count))
            } else if text == "bye" {
                socket.close(.normal, reason: "bye")
            } else {
                socket.send("echo \(text)")
            }
        }

        func settled(_ tag: UInt64, _ outcome: UnitOutcome) {
            socket.send("settled \(tag)")
        }

        func noticed(_ text: String) { socket.send("notice \(text)") }
        func confirmed(_ number: UInt64) {}
        func tick(now: NIODeadline) {}
        func closed() {}
    }
}
