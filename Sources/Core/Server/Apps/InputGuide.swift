/// A program that exists and whose format the server takes, for `sluice keys create --for`.
public struct InputGuide: Sendable {
    /// What its QR code has in it instead of the URL: a link that sets the program up.
    ///
    /// - Parameters:
    ///   - base: the URL without the key.
    ///   - user: nil: the key is for anybody's readings.
    ///   - device: nil: the program chooses it.
    public typealias Link =
        @Sendable (_ base: String, _ key: String, _ user: String?, _ device: String?) -> String

    /// Its name on the command line.
    public let name: String
    /// The path that it posts to, to which a slash and the key may be added.
    public let path: String
    /// Where in the program the URL belongs, as sentences.
    public let place: String
    let link: Link?

    /// - Parameters:
    ///   - name: on the command line, in small letters.
    ///   - path: without the key.
    ///   - place: where in the program the URL belongs, as sentences.
    ///   - link: a link that sets the program up; nil: the URL itself is shown as a QR code.
    public init(_ name: String, path: String, place: String, link: Link? = nil) {
        self.name = name
        self.path = path
        self.place = place
        self.link = link
    }

    /// The URL to paste.
    public func url(_ server: String, key: String) -> String { "\(server)\(path)/\(key)" }

    /// What the QR code has in it.
    public func code(_ server: String, key: String, user: String?, device: String?) -> String {
        link?(server + path, key, user, device) ?? url(server, key: key)
    }
}
