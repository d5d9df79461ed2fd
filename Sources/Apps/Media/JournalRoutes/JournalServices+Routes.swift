public import HTTP
public import Ingest
public import Uploads

extension JournalServices {
    /// The routes of the journal.
    ///
    /// - Parameters:
    ///   - files: shared with the other systems that have files.
    ///   - sink: gets new records.
    public func routes(_ files: FileServices, _ sink: any BatchSink) -> RouteGroup {
        RouteGroup(
            JournalEntryRoute(self, files, sink).routes
                + [JournalFileRoute(self, files.downloads).route]
                + JournalRoutes(self, files.configuration).routes,
            envelope: .journal, others: ["/api/users", "/api/users/**"],
            othersLabel: "other journal", explain: RequestFailure.ofJournal)
    }
}
