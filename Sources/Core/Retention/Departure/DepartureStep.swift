import Glibc
import Postgres

/// The steps by which a day leaves, in order. The process may end between any two; the next run
/// continues from the state in the catalogue.
public enum DepartureStep: String, Sendable, CaseIterable {
    /// The day's row is inserted and its partition renamed, in one transaction.
    case choose
    /// The partition is detached.
    case detach
    /// The row is updated.
    case noteDetached
    /// The rows are copied into a `.part` file.
    case copy
    /// The file gets its name and its manifest.
    case adopt
    /// The file and the manifest are read back.
    case verify
    /// The table is dropped and the row updated, in one transaction.
    case drop
    /// Files that this one replaces are removed.
    case clean
}
