public import Access
import Captures
public import MediaStorage
public import Postgres

/// What the routes of memory captures work with.
public struct CaptureServices: Sendable {
    let access: AccessPolicy
    let media: MediaLibrary
    let database: Database
    let configuration: RouteConfiguration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - media: where uploads go and files come from.
    ///   - database: where captures are, and what was made of them.
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    public init(
        access: AccessPolicy, media: MediaLibrary, database: Database,
        configuration: RouteConfiguration = RouteConfiguration()
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.access = access
        self.media = media
        self.database = database
        self.configuration = configuration
    }

    /// Whose file that is. One that was uploaded for nobody in particular, with a key or where nobody
    /// has to show anything, is the capture's owner's; nil where there is no such capture.
    public func owner(of file: MediaFile) async throws -> String? {
        if let owner = file.owner { return owner }
        guard let id = file.path.captureID else { return nil }
        return try await database.withConnection {
            try MemoryQueries.owner(ofCapture: id, on: $0)
        }
    }
}
