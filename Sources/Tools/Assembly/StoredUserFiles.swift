import Erasure
import Foundation
import Media
import NIOCore
import Server
import Synchronization

/// The file store, opened at the first use.
final class StoredUserFiles: UserFiles {
    private let configuration: MediaConfiguration
    private var store: (any MediaStore)?

    init(_ configuration: ServiceConfiguration) {
        self.configuration = configuration.media(
            in: DataDirectory(configuration.dataDirectory))
    }

    /// - Returns: false for a file that is too new.
    func remove(_ object: ErasedObject) throws -> Bool {
        try ask(object) { try await $0.removeOld($1) }
    }

    /// Whether ``remove(_:)`` would remove it.
    func isOld(_ object: ErasedObject) throws -> Bool {
        try ask(object) { try await $0.isOld($1) }
    }

    /// - Returns: false if the content is missing.
    func copy(_ object: ErasedObject, to path: String) throws -> Bool {
        try ask(object) { store, name in
            let source: any MediaSource
            do {
                source = try await store.open(name)
            } catch MediaStoreError.missing {
                return false
            }
            guard
                FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
                let file = FileHandle(forWritingAtPath: path)
            else { throw CocoaError(.fileWriteUnknown) }
            for try await piece in source.stream(0..<source.bytes) {
                try file.write(contentsOf: Data(piece.readableBytesView))
            }
            try file.synchronize()
            try file.close()
            return true
        }
    }

    private func ask(
        _ object: ErasedObject,
        _ question: @escaping @Sendable (any MediaStore, ObjectName) async throws -> Bool
    ) throws -> Bool {
        guard let name = ObjectName(object.name) else {
            preconditionFailure("BUG: a row names the object \(object.name)")
        }
        let store = try self.store ?? MediaStorage.open(configuration)
        self.store = store
        let outcome = Mutex<Result<Bool, any Error>?>(nil)
        DatabaseAccess.wait {
            do {
                let answer = try await question(store, name)
                outcome.withLock { $0 = .success(answer) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        return try outcome.withLock { try $0?.get() ?? false }
    }

    func close() {
        guard let store else { return }
        DatabaseAccess.wait { await store.shutdown() }
    }
}
