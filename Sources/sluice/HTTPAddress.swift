import Foundation

/// What can be asked over HTTP.
enum HTTPAddress {
    static func isOne(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host() else { return false }
        return !host.isEmpty && ["http", "https"].contains(url.scheme?.lowercased())
    }
}
