public import Files
import Glibc
import NIOCore

/// A file for a process to inspect: an open descriptor, closed with its last reference.
final class InspectionSubject: Sendable {
    private typealias File = Files.Descriptor<InspectionFailure>

    private let file: File
    /// Only for reading.
    var descriptor: Int32 { file.number }

    var bytes: Int {
        get throws(InspectionFailure) { Int(try file.status().st_size) }
    }

    private init(_ file: File) { self.file = file }

    /// Opens an open file again, only for reading. The original may be closed, and may hold locks.
    convenience init(reopening descriptor: Int32) throws(InspectionFailure) {
        try self.init(File("/proc/self/fd/\(descriptor)", O_RDONLY))
    }

    /// An upload; it may be dropped or named before it is read.
    convenience init(_ file: StagedMedia) throws(InspectionFailure) {
        try self.init(reopening: file.descriptor)
    }

    /// A complete upload.
    static func upload(
        _ writer: any MediaWriter
    ) async throws(JournalFailure) -> Result<InspectionSubject, InspectionFailure> {
        do throws(MediaStoreError) {
            return try await writer.inspect { file throws(MediaStoreError) in
                Result { () throws(InspectionFailure) in try InspectionSubject(file) }
            }
        } catch {
            throw .store(error)
        }
    }

    /// A file of these bytes, in memory.
    convenience init(_ bytes: [UInt8]) throws(InspectionFailure) {
        try self.init(Self.makeNameless())
        try file.write(bytes.span.bytes)
    }

    /// A stored file; one that is not on a local disk is copied into memory.
    convenience init(_ source: any MediaSource) async throws {
        if let descriptor = source.descriptor {
            try self.init(reopening: descriptor)
            return
        }
        try self.init(Self.makeNameless())
        for try await piece in source.stream(0..<source.bytes) {
            try file.write(piece.readableBytesSpan)
        }
    }

    private static func makeNameless() throws(InspectionFailure) -> File {
        guard let create = memfdCreate else { throw .notStarted(errno: ENOSYS) }
        let name = "sluice-inspect"
        let number = create(name, 1)  // MFD_CLOEXEC
        guard number >= 0 else { throw .notStarted(errno: errno) }
        return File(number, path: name)
    }

    /// `memfd_create(2)`, which glibc's headers declare only for C programs with `_GNU_SOURCE`.
    private static let memfdCreate = dlsym(nil, "memfd_create").map {
        unsafeBitCast($0, to: MakeNameless.self)
    }
    private typealias MakeNameless = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
}

extension InspectionFailure: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) { self = .notStarted(errno: failure.errno) }
}
