import CLibpq
import Glibc

/// The sending end of one `COPY … FROM STDIN (FORMAT binary)`.
///
/// Takes tuples in COPY BINARY form, in pieces of any size; writes the header and trailer itself.
/// Small pieces are combined, large ones are sent in parts of 64 KiB: libpq copies what it is
/// given, and larger parts cost half as much again. Nothing is retained.
///
/// - Source: PostgreSQL manual, "COPY", section "Binary Format".
public struct CopyWriter: ~Copyable {
    /// The most bytes that are passed to libpq at once.
    public static let pieceBytes = 64 * 1024

    private static let header: [UInt8] =
        [UInt8]("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    private static let trailer: [UInt8] = [0xFF, 0xFF]

    private let connection: Connection
    private var stagedBytes = 0
    /// Why the COPY has ended, even if the caller did not pass the error on.
    private(set) var failure: PostgresError?

    init(_ connection: Connection) throws(PostgresError) {
        self.connection = connection
        connection.allocateStaging()
        try Self.header.withBuffer { bytes throws(PostgresError) in try write(bytes) }
    }

    /// - Parameter tuples: bytes of tuples; no header, no trailer.
    /// - Throws: the server's error as soon as it has arrived; it may concern tuples written
    ///   before. The COPY has then ended and its transaction has failed.
    public mutating func write(_ tuples: UnsafeRawBufferPointer) throws(PostgresError) {
        if let failure { throw failure }
        var rest = tuples[...]
        if stagedBytes + rest.count > Self.pieceBytes {
            try sendStaged()
            while rest.count >= Self.pieceBytes / 2 {
                let piece = rest.prefix(Self.pieceBytes)
                try send(UnsafeRawBufferPointer(rebasing: piece))
                rest = rest.dropFirst(piece.count)
            }
        }
        guard !rest.isEmpty else { return }
        UnsafeMutableRawBufferPointer(rebasing: connection.staging[stagedBytes...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
        stagedBytes += rest.count
    }

    /// The same, for tests and small amounts.
    public mutating func write(_ tuples: [UInt8]) throws(PostgresError) {
        try tuples.withBuffer { bytes throws(PostgresError) in try write(bytes) }
    }

    /// Writes the trailer and sends the last bytes; the server's result comes afterwards.
    mutating func end() throws(PostgresError) {
        if let failure { throw failure }
        try write(Self.trailer)
        try sendStaged()
        let handle = try connection.live()
        while true {
            switch PQputCopyEnd(handle, nil) {
            case 1: return try connection.flush()
            case 0: _ = try connection.wait(POLLOUT)
            default: throw fail(connection.abandonUnsent(handle))
            }
        }
    }

    private mutating func sendStaged() throws(PostgresError) {
        guard stagedBytes > 0 else { return }
        let staged = connection.staging.prefix(stagedBytes)
        stagedBytes = 0
        try send(UnsafeRawBufferPointer(rebasing: staged))
    }

    private mutating func send(_ piece: UnsafeRawBufferPointer) throws(PostgresError) {
        do throws(PostgresError) {
            try connection.putCopyData(piece)
        } catch {
            throw fail(error)
        }
    }

    private mutating func fail(_ error: PostgresError) -> PostgresError {
        failure = error
        return error
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` that keeps the error's type.
    func withBuffer(
        _ body: (UnsafeRawBufferPointer) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var failure: PostgresError?
        withUnsafeBytes { bytes in
            do throws(PostgresError) { try body(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
