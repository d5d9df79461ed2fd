public import Access
public import Multimedia

/// What the journal's routes work with.
public struct JournalServices: Sendable {
    let access: AccessPolicy
    let library: JournalLibrary
    let configuration: RouteConfiguration

    /// - Parameters:
    ///   - access: decides who may call.
    ///   - library: records and files.
    ///   - configuration: must have no ``RouteConfiguration/faults``.
    public init(
        access: AccessPolicy, library: JournalLibrary,
        configuration: RouteConfiguration = RouteConfiguration()
    ) {
        let faults = configuration.faults
        precondition(faults.isEmpty, "BUG: \(faults)")
        self.access = access
        self.library = library
        self.configuration = configuration
    }
}
