/// A way to fill the server's disk that remains open to a role.
public enum AnalystGap: Sendable, Equatable {
    /// PUBLIC may create them: other roles use this database, or we do not own it.
    case temporaryTables
    /// PUBLIC may create them: other roles use this database, some exist already, or we are no
    /// superuser.
    case largeObjects
    /// Temporary files of its queries: only a superuser may limit them.
    case temporaryFiles
}
