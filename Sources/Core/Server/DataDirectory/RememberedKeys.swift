import Auth
import Encodings
import Files
import Foundation
import Readings

/// The issued keys as this node last read them from the database, in a file of the data directory.
///
/// A node that starts while its database is unreachable accepts these keys, as a node that keeps
/// running does. Keys that it does not remember may exist, so they still get a 503.
///
/// The file holds digests, no keys, and has mode 0600. Without a usable file nothing is remembered.
struct RememberedKeys: Sendable {
    let path: String

    private struct Entry: Codable {
        var id: Int64
        var name: String
        /// Hexadecimal SHA-256.
        var digest: String
        var scopes: [String]
        /// Microseconds as ``Timestamp`` counts them.
        var expiresAt: Int64?
        var bytesPerSecond: Int?
        var user: String?
        var device: String?
    }

    /// - Returns: nil if there is no usable file.
    func load() -> [IssuedKey]? {
        guard let data = FileManager.default.contents(atPath: path),
            let entries = try? JSONDecoder().decode([Entry].self, from: data)
        else { return nil }
        return entries.compactMap { entry in
            guard let digest = Hexadecimal.bytes(entry.digest).flatMap(KeyDigest.init(bytes:))
            else { return nil }
            return IssuedKey(
                id: KeyID(name: entry.name, id: entry.id), digest: digest,
                scopes: Set(entry.scopes.compactMap(KeyScope.init)),
                expiresAt: entry.expiresAt.map(Timestamp.init(microseconds:)),
                bytesPerSecond: entry.bytesPerSecond,
                binding: KeyBinding(user: entry.user, device: entry.device))
        }
    }

    /// Replaces the file. Blocks: it is synced.
    func save(_ keys: [IssuedKey]) throws {
        let entries = keys.compactMap { key in
            key.id.id.map { id in
                Entry(
                    id: id, name: key.id.name, digest: Hexadecimal.text(key.digest.bytes),
                    scopes: key.scopes.map(\.rawValue).sorted(),
                    expiresAt: key.expiresAt?.microseconds, bytesPerSecond: key.bytesPerSecond,
                    user: key.binding?.user, device: key.binding?.device)
            }
        }
        let text = [UInt8](try JSONEncoder().encode(entries.sorted { $0.id < $1.id }))
        let draft = try Draft<FileFailure>(of: path, suffix: ".new")
        try draft.file.write(text.span.bytes)
        _ = try draft.publish()
    }
}
