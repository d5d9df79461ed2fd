import Postgres
package import Readings

/// A day of one kind of readings.
package struct ReadingDay: Hashable {
    package let kind: ReadingKind
    /// Days since 2000-01-01.
    package let day: Int32

    package init(kind: ReadingKind, day: Int32) {
        self.kind = kind
        self.day = day
    }
}
