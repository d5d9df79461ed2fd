import JSONText

/// The body of `PUT /user/{user_id}/profile`: `{"summary"?: …, "timeZone"?: …}`, at least one of them.
public struct ProfileChange: Sendable, Equatable {
    /// The JSON as sent; nil keeps the stored one.
    let summary: String?
    /// An IANA name, unchecked; nil keeps the stored zone.
    let timeZone: String?

    /// - Parameter bytes: the body, on loan.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ProfileFault) {
        let fields = try ProfileFields(bytes)
        summary = fields.hasSummary ? try fields.summary() : nil
        timeZone = try fields.timeZone()
        guard summary != nil || timeZone != nil else { throw .nothingGiven }
    }
}
