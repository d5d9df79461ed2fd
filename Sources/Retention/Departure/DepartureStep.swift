/// What is done with a day that leaves, in order. Between any two a process may end; the next run
/// goes on from what the catalogue says.
public enum DepartureStep: String, Sendable, CaseIterable {
    /// Its row is made and its partition renamed, in one transaction.
    case choose
    /// It is detached.
    case detach
    /// Its row says so.
    case noteDetached
    /// Its rows are copied into a part of a file.
    case copy
    /// The file gets its name and its manifest.
    case adopt
    /// File and manifest are read back.
    case verify
    /// The table is dropped and its row says so, in one transaction.
    case drop
    /// Files that this one replaces are removed.
    case clean
}
