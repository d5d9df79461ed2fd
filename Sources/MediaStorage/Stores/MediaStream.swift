public import NIOCore

/// A stored object's bytes, piece by piece, read as they are asked for.
public struct MediaStream: AsyncSequence, Sendable {
    /// One piece, never empty.
    public typealias Element = ByteBuffer

    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    init(_ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
        self.makeNext = makeNext
    }

    /// Begins at the range's first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: makeNext()) }

    /// One pass over the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: () async throws -> ByteBuffer?

        /// - Throws: ``MediaStoreError``; the bytes that came before it were right.
        public mutating func next() async throws -> ByteBuffer? { try await pull() }
    }
}
