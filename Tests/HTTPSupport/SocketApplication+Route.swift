@testable import HTTP

extension SocketApplication {
    /// Where a request target leads, as the route table finds it.
    func route(of target: String) -> SocketRoute? {
        let table = RouteTable([RouteGroup(routes, envelope: .detail)])
        let entry = table[table.id(of: target)]
        return entry.socket?.route(target, entry.pattern)
    }
}
