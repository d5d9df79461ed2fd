import Ingestion

extension Ingestor {
    /// How the server is, in a few words for a status line.
    var condition: String {
        if isDatabaseUp { return "serving" }
        if isAvailable { return "the database is away; batches go to the spool" }
        return "the database is away and the spool takes nothing; batches get a 503"
    }
}
