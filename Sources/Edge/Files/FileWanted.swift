import Access

/// What is needed to find a file, and to tell who may have it.
struct FileWanted: Equatable, Sendable {
    /// ``Route/media`` or ``Route/journalFile``.
    let route: Route
    /// The request target: nothing in it is encoded.
    let path: String
    let credentials: Credentials
}
