import Glibc
import NIOCore

/// A file that an upload is written to, by whatever thread holds it at the moment.
///
/// `@unchecked Sendable`: its writer gives it to one disk thread at a time and waits.
final class UploadFile: @unchecked Sendable {
    /// In its directory, as long as it has one.
    let name: String
    private let directory: Descriptor
    let descriptor: Descriptor
    private var hash: HashLine? = HashLine()
    private(set) var bytes = 0
    /// What was appended and not yet written: less than a page.
    private var rest: [UInt8] = []
    private var isNamed: Bool
    /// It will be synced, unlike one without a name.
    private let isKept: Bool
    /// The kernel was asked to write everything before this place to the disk.
    private var begun = 0
    /// Bytes that were hashed may have been replaced.
    var isAltered = false

    /// Less at once costs system calls, more begins later.
    private static let writebackBytes = 512 << 10
    /// Fits into the cache of every processor's core.
    private static let blockBytes = 256 << 10
    /// The kernel takes bytes that begin where a page does at almost twice the speed.
    private static let pageBytes = 4096

    /// Makes the file and takes the lock that keeps sweepers away.
    convenience init(in directory: Descriptor, name: String) throws(MediaStoreError) {
        try self.init(in: directory, name: name, isKept: true)
    }

    private init(
        in directory: Descriptor, name: String, isKept: Bool
    ) throws(MediaStoreError) {
        self.directory = directory
        self.name = name
        self.isKept = isKept
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
        try self.init(in: directory, name: name, isKept: false)
        discard()
    }

    private typealias SyncFileRange =
        @convention(c) @Sendable (Int32, Int64, Int64, UInt32) -> Int32

    /// `sync_file_range(2)`, which Glibc's module does not show; nil elsewhere. 2 is
    /// `SYNC_FILE_RANGE_WRITE`: begin, and don't wait.
    private static let syncFileRange: SyncFileRange? = dlsym(nil, "sync_file_range").map {
        unsafeBitCast($0, to: SyncFileRange.self)
    }

    deinit { discard() }

    /// Hashes and writes the piece, block by block, so that the second finds in the processor's
    /// cache what the first has read. What does not fill a page waits for what follows it, or for
    /// ``complete()``.
    func append(_ piece: RawSpan) throws(MediaStoreError) {
        let failure = piece.withUnsafeBytes { piece -> Int32 in
            var place = 0
            while place < piece.count {
                let block = UnsafeRawBufferPointer(
                    rebasing: piece[place..<min(piece.count, place + Self.blockBytes)])
                hash?.update(block)
                let failure = take(block)
                if failure != 0 { return failure }
                place += block.count
            }
            return 0
        }
        guard failure == 0 else { throw MediaStoreError(errno: failure, "write") }
        if isKept, bytes - begun >= Self.writebackBytes { beginWriteback() }
    }

    /// Writes the piece, while another of `disk`'s threads hashes it if one has the time.
    func append(_ piece: ByteBuffer, with disk: DiskThreads) throws(MediaStoreError) {
        guard hash?.update(piece, by: disk) == true else {
            return try append(piece.readableBytesSpan)
        }
        let failure = piece.withUnsafeReadableBytes { take($0) }
        guard failure == 0 else { throw MediaStoreError(errno: failure, "write") }
        if isKept, bytes - begun >= Self.writebackBytes { beginWriteback() }
    }

    /// Writes what has waited. Nothing may be appended after it.
    func complete() throws(MediaStoreError) {
        let failure = rest.withUnsafeBytes {
            write($0, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        guard failure == 0 else { throw MediaStoreError(errno: failure, "write") }
        rest = []
    }

    /// Writes whole pages.
    ///
    /// - Returns: `errno(3)`, or 0.
    private func take(_ block: UnsafeRawBufferPointer) -> Int32 {
        let count = block.count - (bytes + block.count) % Self.pageBytes
        bytes += block.count
        guard count > 0 else {
            rest.append(contentsOf: block)
            return 0
        }
        let failure = rest.withUnsafeBytes {
            write($0, UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
        rest.removeAll(keepingCapacity: true)
        rest.append(contentsOf: block[count...])
        return failure
    }

    /// Writes two pieces as if they were one.
    ///
    /// - Returns: `errno(3)`, or 0.
    private func write(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int32 {
        let total = first.count + second.count
        var place = 0
        while place < total {
            let (begun, more) = (min(place, first.count), max(0, place - first.count))
            let vectors = (
                iovec(
                    iov_base: UnsafeMutableRawPointer(
                        mutating: first.baseAddress.map { $0 + begun }),
                    iov_len: first.count - begun),
                iovec(
                    iov_base: UnsafeMutableRawPointer(
                        mutating: second.baseAddress.map { $0 + more }),
                    iov_len: second.count - more)
            )
            let count = withUnsafeBytes(of: vectors) {
                writev(descriptor.number, $0.assumingMemoryBound(to: iovec.self).baseAddress, 2)
            }
            if count >= 0 {
                place += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// So that the sync at the end finds little to do; what fails here fails there too.
    private func beginWriteback() {
        let written = bytes - rest.count
        _ = Self.syncFileRange?(descriptor.number, Int64(begun), Int64(written - begun), 2)
        begun = written
    }

    /// The digest of everything; nothing may be appended after it.
    func digest() throws(MediaStoreError) -> MediaDigest {
        if isAltered { try hashAgain() }
        guard let hash, let digest = MediaDigest(bytes: hash.finish()) else {
            preconditionFailure("BUG: a digest is taken twice")
        }
        self.hash = nil
        return digest
    }

    private func hashAgain() throws(MediaStoreError) {
        let staged = StagedMedia(self)
        let again = HashLine()
        for offset in stride(from: 0, to: bytes, by: Self.blockBytes) {
            let piece = try staged.read(at: offset, Self.blockBytes)
            piece.withUnsafeBytes { again.update($0) }
        }
        hash = again
        isAltered = false
    }

    /// Dates the file now.
    func date() throws(MediaStoreError) { try check(futimens(descriptor.number, nil), "futimens") }

    /// It was renamed: the name is no longer its own.
    func keep() { isNamed = false }

    /// Removes the file if it still has its name. Another thread may be appending meanwhile.
    func discard() {
        if isNamed { unlinkat(directory.number, name, 0) }
        isNamed = false
    }
}
