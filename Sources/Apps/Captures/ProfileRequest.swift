import JSONText

/// The body of `POST /init-user/{user_id}`: `{"summary": …, "timeZone"?: …}`.
public struct ProfileRequest: Sendable, Equatable {
    /// The size limit of the body.
    public static let bytesMax = 256 * 1024

    /// The JSON as sent: a string or an object.
    let summary: String
    /// An IANA name such as `Europe/Berlin`, unchecked. Nil keeps the stored zone; a new user gets
    /// `America/New_York`.
    let timeZone: String?

    /// - Parameter bytes: the body, on loan.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ProfileFault) {
        let fields = try ProfileFields(bytes)
        summary = try fields.summary()
        timeZone = try fields.timeZone()
    }
}
