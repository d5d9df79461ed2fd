public import Auth
public import Media

/// The services of the journal's routes.
public struct JournalServices: Sendable {
    let access: AccessPolicy
    let library: JournalLibrary
    let acknowledgeWithin: Duration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - library: holds records and files.
    ///   - acknowledgeWithin: time from a complete form to its commit; then the client gets a 503,
    ///     though the record may still be committed.
    public init(
        access: AccessPolicy, library: JournalLibrary, acknowledgeWithin: Duration = .seconds(30)
    ) {
        self.access = access
        self.library = library
        self.acknowledgeWithin = acknowledgeWithin
    }
}
