import Crypto
import Files
import Glibc
import NIOCore

/// A file that an upload is written to. Any thread may use it, one at a time.
///
/// `@unchecked Sendable`: its writer gives it to one disk thread at a time and waits.
final class UploadFile: @unchecked Sendable {
    /// The file's name in its directory, as long as it has one.
    let name: String
    private let directory: Descriptor
    let descriptor: Descriptor
    private var hash = SHA256()
    private(set) var bytes = 0
    private var isNamed: Bool
    /// Bytes that were already hashed may have been replaced.
    var isAltered = false

    private static let blockBytes = 256 << 10

    /// Creates the file and takes the lock that keeps sweepers away.
    init(in directory: Descriptor, name: String) throws(MediaStoreError) {
        self.directory = directory
        self.name = name
        descriptor = try Descriptor(name, in: directory, O_RDWR | O_CREAT | O_EXCL)
        isNamed = true
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            unlinkat(directory.number, name, 0)
            throw MediaStoreError(errno: failure, "flock")
        }
    }

    /// Creates a file without a name, which disappears with its process.
    convenience init(namelessIn directory: Descriptor, name: String) throws(MediaStoreError) {
        try self.init(in: directory, name: name)
        discard()
    }

    deinit { discard() }

    /// Hashes and writes the piece.
    func append(_ piece: ByteBuffer) throws(MediaStoreError) {
        piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        try write(piece, at: bytes)
        bytes += piece.readableBytes
    }

    /// Writes a piece at an offset, over existing bytes or at the end.
    func write(_ piece: ByteBuffer, at offset: Int) throws(MediaStoreError) {
        try descriptor.write(piece.readableBytesSpan, at: offset)
    }

    /// The digest of the whole file.
    func digest() throws(MediaStoreError) -> MediaDigest {
        if isAltered { try hashAgain() }
        guard let digest = MediaDigest(bytes: Array(hash.finalize())) else {
            preconditionFailure("BUG: a digest of another length")
        }
        return digest
    }

    private func hashAgain() throws(MediaStoreError) {
        let staged = StagedMedia(self)
        hash = SHA256()
        for offset in stride(from: 0, to: bytes, by: Self.blockBytes) {
            let piece = try staged.read(at: offset, Self.blockBytes)
            piece.withUnsafeBytes { hash.update(bufferPointer: $0) }
        }
        isAltered = false
    }

    /// Sets the file's date to now.
    func date() throws(MediaStoreError) { try check(futimens(descriptor.number, nil), "futimens") }

    /// Call it after the file was renamed, so that ``discard()`` does not remove the name.
    func keep() { isNamed = false }

    /// Removes the file if it still has its name. Another thread may be appending at the same time.
    func discard() {
        guard isNamed else { return }
        isNamed = false
        unlinkat(directory.number, name, 0)
        // Its space is free now, not when the last reference closes it, which may be a little
        // later.
        ftruncate(descriptor.number, 0)
    }
}
