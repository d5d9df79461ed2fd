public import Fleet

/// Records the outcome of each batch, for a check of the database afterwards.
public protocol BatchObserver {
    /// The batch was sent, or is about to be.
    mutating func sent(_ window: BatchWindow)
    /// The batch was answered with a 200.
    mutating func accepted(_ window: BatchWindow, answer: UnsafeRawBufferPointer)
    /// The batch was answered with a 2xx that says no more.
    mutating func accepted(_ window: BatchWindow)
    /// The batch was answered with a 202.
    mutating func spooled(_ window: BatchWindow, answer: UnsafeRawBufferPointer)
    /// The whole batch was rejected as malformed.
    mutating func refused(_ window: BatchWindow, status: Int)
    /// It is unknown whether the batch is stored.
    mutating func uncertain(_ window: BatchWindow)
}
