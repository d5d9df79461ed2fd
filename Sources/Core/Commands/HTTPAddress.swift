import Dispatch
import Foundation
import Server
import Synchronization

/// Checks URLs for HTTP, which have no user or password here.
enum HTTPAddress {
    static func isOne(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host(), url.user == nil else {
            return false
        }
        return !host.isEmpty && ["http", "https"].contains(url.scheme?.lowercased())
    }
}
