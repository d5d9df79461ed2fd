/// What a position may have besides its place, on the fast path. Filled while a reading is read, and
/// valid only for those fields that the reading has.
struct PositionDetails {
    /// Metres; NaN when unknown.
    var altitude = Double.nan
    /// Metres; as the next two negative or NaN when unknown.
    var verticalAccuracy = Double.nan
    /// Metres a second.
    var speed = Double.nan
    /// Degrees.
    var course = Double.nan

    /// The limits of the fields that share a column.
    static let speedMax = 8589.0
    static let courseMax = 1000.0
    static let courseBits: Int64 = 30
    static let speedUnknown: Int64 = 1 << 33 - 1
    static let courseUnknown: Int64 = 1 << 30 - 1

    /// Whether the values of a reading are in their ranges; those that it doesn't have become
    /// unknown.
    ///
    /// - Parameters: whether the reading has each of them.
    @inline(never)
    mutating func complete(
        altitude hasAltitude: Bool, verticalAccuracy hasVerticalAccuracy: Bool,
        speed hasSpeed: Bool, course hasCourse: Bool
    ) -> Bool {
        if !hasAltitude { altitude = .nan }
        if !hasVerticalAccuracy { verticalAccuracy = .nan }
        if !hasSpeed { speed = .nan }
        if !hasCourse { course = .nan }
        return !altitude.isInfinite && !verticalAccuracy.isInfinite && !speed.isInfinite
            && !course.isInfinite && !(speed > Self.speedMax) && !(course > Self.courseMax)
    }

    /// Speed and course as they share a column; nil when both are unknown.
    var motion: Int64? {
        let speed = speed >= 0 ? Int64((speed * 1e6).rounded()) : Self.speedUnknown
        let course = course >= 0 ? Int64((course * 1e6).rounded()) : Self.courseUnknown
        if speed == Self.speedUnknown, course == Self.courseUnknown { return nil }
        return speed << Self.courseBits | course
    }
}
