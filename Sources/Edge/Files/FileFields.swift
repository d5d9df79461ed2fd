import Access

/// The fields of a head that decide who may have a file; each stands once.
struct FileFields {
    private var host: String?
    private var origin: String?
    private var apiKey: String?
    private var authorization: String?

    /// - Returns: false if it makes the request an unusual one.
    mutating func take(_ field: FileField, _ value: @autoclosure () -> String) -> Bool {
        switch field {
        case .host: Self.set(&host, value())
        case .origin: Self.set(&origin, value())
        case .apiKey: Self.set(&apiKey, value())
        case .authorization: Self.set(&authorization, value())
        case .special: false
        case .irrelevant: true
        }
    }

    private static func set(_ field: inout String?, _ value: String) -> Bool {
        guard field == nil else { return false }
        field = value
        return true
    }

    /// nil where it is not said what host is meant: such a request is refused, but not here.
    var credentials: Credentials? {
        guard let host, !host.isEmpty else { return nil }
        return Credentials(
            token: PresentedToken.read(authorization: authorization, apiKey: apiKey),
            origin: origin, authority: host)
    }
}
