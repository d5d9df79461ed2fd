import Auth
import HTTP

/// Of which device and user a request is.
struct Origin: Equatable {
    let device: String
    /// nil: the device id, or the user of the key.
    let user: String?

    /// - Parameters:
    ///   - devices: names in the order in which they count; empty ones are none. Then come the
    ///     query's `device` and the key's device.
    ///   - last: names that are better than none.
    ///   - users: names in the order in which they count. Then comes the query's `user`.
    ///   - app: makes a name of a device that nobody has named, with the key's user.
    /// - Returns: nil if there is no name for the device.
    init?(
        _ request: InputRequest, devices: [String?], last: [String?] = [], users: [String?] = [],
        app: String
    ) {
        func first(_ names: [String?]) -> String? {
            names.lazy.compactMap(\.self).first { !$0.isEmpty }
        }
        let own = request.binding
        let known = devices + [request.query.value("device"), own?.device] + last
        guard let device = first(known + [own?.user.map { "\($0)-\(app)" }]) else { return nil }
        self.device = device
        user = first(users + [request.query.value("user")])
    }

    /// - Parameter devicesOfParts: what the parts of the request name. A part that names none must
    ///   not take the name of another, with which it may have come by chance: only if there is no
    ///   other name.
    init?(_ request: InputRequest, devicesOfParts: [String?], app: String) {
        let first = devicesOfParts.lazy.compactMap(\.self).first
        let own = Origin(
            request, devices: devicesOfParts.contains(nil) ? [] : [first], app: app)
        guard let origin = own ?? Origin(request, devices: [first], app: app) else { return nil }
        self = origin
    }
}
