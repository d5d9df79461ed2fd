import Fleet

/// An answer in the receive buffer.
public struct Answer: ~Copyable {
    /// The status of the status line.
    public let status: Int
    /// Seconds of `Retry-After`; nil without the field.
    public let retryAfterSeconds: Int?
    /// Valid during the call only.
    public let body: UnsafeRawBufferPointer
}
