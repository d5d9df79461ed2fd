public import Auth
import Captures
public import Media
public import Postgres

/// The services of the capture routes.
public struct CaptureServices: Sendable {
    let access: AccessPolicy
    let media: MediaLibrary
    let inspector: Inspector
    let database: Database

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - media: stores uploads and serves files.
    ///   - inspector: finds out what recordings are.
    ///   - database: holds captures and their results.
    public init(
        access: AccessPolicy, media: MediaLibrary, inspector: Inspector, database: Database
    ) {
        self.access = access
        self.media = media
        self.inspector = inspector
        self.database = database
    }

    /// Decides who may read a capture's file: its owner, and callers who may act for any user.
    ///
    /// - Parameter isNamed: a capture of the caller names the file. Then the caller may also read a
    ///   file without an owner, which came after that capture and with another id.
    public func mayRead(
        _ file: MediaFile, _ caller: Caller, isNamed: Bool = false
    ) async throws -> Bool {
        guard caller.user != nil else { return true }
        guard let owner = try await owner(of: file) else { return isNamed }
        return caller.mayReach(owner)
    }

    /// A file uploaded with a key, or without credentials, belongs to the owner of its capture; nil
    /// if there is no such capture.
    private func owner(of file: MediaFile) async throws -> String? {
        if let owner = file.owner { return owner }
        guard let id = file.path.captureID else { return nil }
        return try await database.withConnection {
            try MemoryQueries.owner(ofCapture: id, on: $0)
        }
    }
}
