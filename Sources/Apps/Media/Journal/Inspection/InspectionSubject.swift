import Glibc
import NIOCore

/// A file for a process to inspect: an open descriptor, closed with its last reference.
final class InspectionSubject: Sendable {
    /// Only for reading.
    let descriptor: Int32

    private init(_ descriptor: Int32) throws(InspectionFailure) {
        guard descriptor >= 0 else { throw .notStarted(errno: errno) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Opens an open file again, only for reading. The original may be closed, and may hold locks.
    convenience init(reopening descriptor: Int32) throws(InspectionFailure) {
        try self.init(open("/proc/self/fd/\(descriptor)", O_RDONLY | O_CLOEXEC))
    }

    /// An upload; it may be dropped or named before it is read.
    convenience init(_ file: StagedMedia) throws(MediaStoreError) {
        do throws(InspectionFailure) {
            try self.init(reopening: file.descriptor)
        } catch {
            throw MediaStoreError(error)
        }
    }

    /// A file of these bytes, in memory.
    convenience init(_ bytes: [UInt8]) throws(InspectionFailure) {
        try self.init(Self.makeNameless())
        try append(bytes.span.bytes)
    }

    /// A stored file; one that is not on a local disk is copied into memory.
    convenience init(_ source: any MediaSource) async throws {
        if let descriptor = source.descriptor {
            try self.init(reopening: descriptor)
            return
        }
        try self.init(Self.makeNameless())
        for try await piece in source.stream(0..<source.bytes) {
            try append(piece.readableBytesSpan)
        }
    }

    private func append(_ bytes: RawSpan) throws(InspectionFailure) {
        let descriptor = descriptor
        let failure = bytes.withUnsafeBytes { bytes -> Int32 in
            var place = 0
            while place < bytes.count {
                let count = write(descriptor, bytes.baseAddress! + place, bytes.count - place)
                guard count > 0 || errno == EINTR else { return errno }
                place += max(0, count)
            }
            return 0
        }
        guard failure == 0 else { throw .notStarted(errno: failure) }
    }

    private static func makeNameless() -> Int32 {
        guard let create = memfdCreate else {
            errno = ENOSYS
            return -1
        }
        return create("sluice-inspect", 1)  // MFD_CLOEXEC
    }

    /// `memfd_create(2)`, which glibc's headers declare only for C programs with `_GNU_SOURCE`.
    private static let memfdCreate = dlsym(nil, "memfd_create").map {
        unsafeBitCast($0, to: MakeNameless.self)
    }
    private typealias MakeNameless = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
}

extension MediaStoreError {
    /// The error for a file that was not inspected, when the file is not the cause.
    init(_ failure: InspectionFailure) {
        guard case .notStarted(let errno) = failure else {
            self = .ended
            return
        }
        self = .disk(operation: "inspect", errno: errno)
    }
}
