import Glibc

/// Why it can't be said that a file names no place.
enum Unsettled: Error, Equatable {
    /// Reading it takes more work than ``FileBytes`` allows.
    case tooMuchWork
    /// Its structures are nested too deeply.
    case tooDeep
    /// It may name a place in a form that can't be removed, or it has another form than its type.
    case notRemovable
}
