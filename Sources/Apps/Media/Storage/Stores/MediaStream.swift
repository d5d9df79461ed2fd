public import NIOCore

/// The bytes of a stored object, piece by piece, read on demand.
public struct MediaStream: AsyncSequence, Sendable {
    /// One piece, never empty.
    public typealias Element = ByteBuffer

    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    init(_ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
        self.makeNext = makeNext
    }

    /// Starts at the first byte of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: makeNext()) }

    /// One pass over the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: () async throws -> ByteBuffer?

        /// - Throws: ``MediaStoreError``; the bytes returned before it are correct.
        public mutating func next() async throws -> ByteBuffer? { try await pull() }
    }
}
