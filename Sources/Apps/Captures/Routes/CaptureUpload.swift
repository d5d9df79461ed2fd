import HTTP
import Inspections
import Media
import NIOCore
import Uploads

/// Streams a capture's file from a request's body into the store, chunk by chunk.
///
/// Only the part named `file` is stored; other parts are skipped. Nothing is buffered except by the
/// reader and the writer. The owner calls ``abort()`` unless ``finish()`` has returned.
struct CaptureUpload: UploadIntake {
    /// A file that is durable and has no name yet.
    struct Finished: Sendable {
        let object: StoredObject
        let file: CaptureFile
        let contentType: String
    }

    private let store: any MediaStore
    private let inspector: Inspector
    private let client: InspectionClient
    private let fileBytesMax: Int
    private let bodyBytesMax: Int
    private var reader: MultipartReader
    private var bodyBytes = 0
    private var part: PartHeader?
    private var writer: (any MediaWriter)?
    private var isInFile = false
    private var isTypeSeen = false

    /// - Parameter client: whose turn an inspection uses.
    init(
        into store: any MediaStore, inspector: Inspector, client: InspectionClient,
        boundary: MultipartBoundary, fileBytesMax: Int
    ) {
        self.store = store
        self.inspector = inspector
        self.client = client
        self.fileBytesMax = fileBytesMax
        bodyBytesMax = fileBytesMax + RouteConfiguration.otherPartsBytesMax
        reader = MultipartReader(boundary: boundary)
    }

    /// Takes the next piece of the body. Returns when the store has it, so that a slow disk slows
    /// the client down.
    mutating func take(_ chunk: ByteBuffer) async throws {
        bodyBytes += chunk.readableBytes
        guard bodyBytes <= bodyBytesMax else {
            throw RequestFailure.bodyTooLarge(bytesMax: bodyBytesMax)
        }
        while let event = try reader.next(in: chunk.readableBytesSpan) {
            switch event {
            case .partBegins(let header):
                try await begin(header)
            case .body(let range):
                guard isInFile else { continue }
                try await write(chunk, range)
            case .withheld(let bytes):
                guard isInFile else { continue }
                try await write(ByteBuffer(bytes: bytes), 0..<bytes.count)
            case .partEnds:
                isInFile = false
            case .finished:
                break
            }
        }
    }

    private mutating func begin(_ header: PartHeader) async throws {
        isInFile = header.name == "file"
        guard isInFile else { return }
        guard part == nil else { throw RequestFailure.fileTwice }
        part = header
        writer = try await store.begin()
    }

    private mutating func write(_ chunk: ByteBuffer, _ range: Range<Int>) async throws {
        guard let writer, let part else { return }
        guard writer.bytes + range.count <= fileBytesMax else {
            throw RequestFailure.fileTooLarge(bytesMax: fileBytesMax)
        }
        try await writer.write(chunk.readablePart(range))
        // Checked as soon as the first bytes tell the type: the rest of a wrong file need not be
        // sent.
        guard !isTypeSeen, let type = writer.type else { return }
        isTypeSeen = true
        guard CaptureFile(part: part, content: type) != nil else {
            throw RequestFailure.fileTypeUnsupported
        }
    }

    /// The body has ended: makes the file durable.
    mutating func finish() async throws -> Finished {
        try reader.finish()
        guard let writer, let part else { throw RequestFailure.fileMissing }
        guard writer.bytes > 0 else { throw RequestFailure.fileEmpty }
        let found = try await writer.inspect { file throws(MediaStoreError) in
            MediaType(content: try file.read(at: 0, MediaType.contentBytesMax))
        }
        guard let file = CaptureFile(part: part, content: found) else {
            throw RequestFailure.fileTypeUnsupported
        }
        var type = found
        if let found, file == .audio {
            type = try await inspector.soundType(of: writer, found, of: client)
            guard type != nil else { throw RequestFailure.fileTypeUnsupported }
        }
        return Finished(
            object: try await writer.finish(), file: file,
            contentType: CaptureFile.contentType(type))
    }

    /// Discards the file.
    func abort() async {
        await writer?.abort()
    }
}
