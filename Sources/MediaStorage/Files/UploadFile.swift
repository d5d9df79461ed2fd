import Glibc

/// A file that an upload is written to, by whatever thread holds it at the moment.
///
/// `@unchecked Sendable`: its writer gives it to one disk thread at a time and waits.
final class UploadFile: @unchecked Sendable {
    /// In its directory, as long as it has one.
    let name: String
    private let directory: Descriptor
    let descriptor: Descriptor
    private var hash: SHA256? = SHA256()
    private(set) var bytes = 0
    private var isNamed: Bool

    /// Makes the file and takes the lock that keeps sweepers away.
    init(in directory: Descriptor, name: String) throws(MediaStoreError) {
        self.directory = directory
        self.name = name
        descriptor = try Descriptor(
            opening: name, in: directory, O_RDWR | O_CREAT | O_EXCL, "create")
        isNamed = true
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            unlinkat(directory.number, name, 0)
            throw MediaStoreError(errno: failure, "flock")
        }
    }

    /// Makes a file that goes with its process.
    convenience init(namelessIn directory: Descriptor, name: String) throws(MediaStoreError) {
        try self.init(in: directory, name: name)
        discard()
    }

    deinit { discard() }

    func append(_ piece: [UInt8]) throws(MediaStoreError) {
        let failure = piece.withUnsafeBytes { piece -> Int32 in
            var place = 0
            while place < piece.count {
                let count = write(
                    descriptor.number, piece.baseAddress! + place, piece.count - place)
                if count >= 0 {
                    place += count
                } else if errno != EINTR {
                    return errno
                }
            }
            hash?.update(piece)
            return 0
        }
        guard failure == 0 else { throw MediaStoreError(errno: failure, "write") }
        bytes += piece.count
    }

    /// The digest of everything; nothing may be appended after it.
    func digest() -> MediaDigest {
        guard let hash, let digest = MediaDigest(bytes: hash.finish()) else {
            preconditionFailure("BUG: a digest is taken twice")
        }
        self.hash = nil
        return digest
    }

    /// Dates the file now.
    func date() throws(MediaStoreError) { try check(futimens(descriptor.number, nil), "futimens") }

    /// It was renamed: the name is no longer its own.
    func keep() { isNamed = false }

    /// Removes the file if it still has its name.
    func discard() {
        if isNamed { unlinkat(directory.number, name, 0) }
        isNamed = false
    }
}
