import Dispatch
import Foundation
import Ingest
import Logging
import Synchronization

/// The socket on which a service manager such as systemd receives its services' messages.
///
/// A message is one datagram of `KEY=value` lines without an answer. Sending takes a few system
/// calls and keeps nothing open.
/// - Source: sd_notify(3); unix(7) on abstract addresses.
struct SupervisorSocket: Sendable, Equatable {
    /// Why a message was not sent.
    enum Fault: Error, Equatable {
        /// A system call failed with this `errno`.
        case system(call: String, code: Int32)
    }

    /// As the kernel expects it: an abstract name begins with a NUL.
    private let name: [UInt8]

    /// The longest wait for a manager that does not read.
    private static let sendMax = timeval(tv_sec: 2, tv_usec: 0)

    /// - Parameter text: the value of `NOTIFY_SOCKET`: an absolute path, or `@` and a name.
    /// - Returns: nil if it is neither, or too long for an address.
    init?(_ text: String) {
        var name = Array(text.utf8)
        guard name.count > 1, name.count < Self.nameBytesMax, !name.contains(0) else { return nil }
        switch name[0] {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): name[0] = 0
        default: return nil
        }
        self.name = name
    }

    private static var nameBytesMax: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) }

    /// Sends one message. Blocks for ``sendMax`` at most.
    func send(_ lines: [String]) throws(Fault) {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        defer { close(descriptor) }
        var limit = Self.sendMax
        let limitBytes = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, limitBytes)
        let message = Array(lines.joined(separator: "\n").utf8)
        let sent = withAddress { address, bytes in
            sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), address, bytes)
        }
        guard sent == message.count else { throw .system(call: "sendto", code: errno) }
    }

    /// The length delimits an abstract name; a path ends with a NUL.
    private func withAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let path = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
        let bytes = path + name.count + (name[0] == 0 ? 0 : 1)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes)) }
        }
    }
}
