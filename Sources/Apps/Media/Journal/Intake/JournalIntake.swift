import Inspections
public import NIOCore

/// Reads the body of a create request chunk by chunk: fields go into a form, files into the store.
///
/// Files are written as they arrive and stay open until the form is complete. Only then is it known
/// whether they keep their coordinates, and a form with an invalid field creates no object.
///
/// A file that can't be accepted does not end the request. The rest of it is discarded, up to
/// ``JournalConfiguration/discardedBytesMax``, and the files after it are stored. A profile
/// picture, of which a request has only one, ends the request at its fault. The owner calls
/// ``abort()`` unless ``finish()`` returned.
public struct JournalIntake {
    private enum Part {
        case none
        case text(JournalField, [UInt8])
        case file(JournalFileIntake)
        case discarded
    }

    private let kind: JournalKind
    private let client: InspectionClient
    private let store: any MediaStore
    private let inspector: Inspector
    private let configuration: JournalConfiguration
    private let keepsLocation: Bool
    private var reader: MultipartReader
    private var form: JournalForm
    private var part = Part.none
    private var bodyBytes = 0
    private var discardedBytes = 0
    private var filesCount = 0
    private var hasVoiceNote = false
    /// Complete files in the order of arrival, including those with a problem.
    private var files: [JournalFileIntake] = []

    init(
        _ kind: JournalKind, for client: InspectionClient, boundary: MultipartBoundary,
        keepsLocation: Bool, into store: any MediaStore, inspector: Inspector,
        configuration: JournalConfiguration
    ) {
        self.kind = kind
        self.client = client
        self.store = store
        self.inspector = inspector
        self.configuration = configuration
        self.keepsLocation = keepsLocation
        var limits = MultipartLimits()
        limits.partsMax = configuration.partsMax
        // Room for a file name of 10 KiB, of which the end is displayed.
        limits.headerBytesMax = 16 << 10
        reader = MultipartReader(boundary: boundary, limits: limits)
        form = JournalForm(kind)
    }

    /// Takes the next piece of the body. Returns when the store has it, so that a slow disk slows
    /// the client down.
    public mutating func take(_ chunk: ByteBuffer) async throws(JournalFailure) {
        bodyBytes += chunk.readableBytes
        guard bodyBytes <= configuration.bodyBytesMax else {
            throw .discardedTooMuch(bytesMax: configuration.discardedBytesMax)
        }
        while let event = try next(chunk) {
            switch event {
            case .partBegins(let header): try begin(header)
            case .body(let range): try await write(chunk, range)
            case .withheld(let bytes):
                try await write(ByteBuffer(bytes: bytes), 0..<bytes.count)
            case .partEnds: try endPart()
            case .finished: break
            }
        }
    }

    /// Call it when the body has ended. Inspects the files and makes them durable.
    ///
    /// - Returns: an entry to pass to ``JournalLibrary/record(_:user:)`` within the store's grace
    ///   time.
    public mutating func finish() async throws(JournalFailure) -> JournalEntry {
        do throws(MultipartError) {
            try reader.finish()
        } catch {
            throw .multipart(error)
        }
        let fields: JournalFields
        do throws(FieldFault) {
            fields = try form.validated()
        } catch {
            throw .field(error)
        }
        var uploads: [JournalUpload] = []
        for file in files {
            let upload = try await file.finish(
                inspectedBy: inspector, for: client,
                keepsLocation: keepsLocation || fields.keepsLocation)
            if let upload { uploads.append(upload) }
        }
        let problems = files.compactMap(\.problem)
        if uploads.isEmpty {
            if let problem = problems.first { throw .file(problem) }
            if kind.needsFile { throw .fileMissing }
        }
        return JournalEntry(kind: kind, problems: problems, fields: fields, files: uploads)
    }

    /// Drops the request and its staged files. A sweep removes files that are already stored.
    public mutating func abort() async {
        if case .file(let file) = part { await file.abort() }
        part = .none
        for file in files { await file.abort() }
        files = []
    }

    private mutating func next(_ chunk: ByteBuffer) throws(JournalFailure) -> MultipartEvent? {
        do throws(MultipartError) {
            return try reader.next(in: chunk.readableBytesSpan)
        } catch .partsTooMany(_, let limit) {
            throw .field(FieldFault(named: "", .tooManyParts(max: limit)))
        } catch {
            throw .multipart(error)
        }
    }

    private mutating func begin(_ header: PartHeader) throws(JournalFailure) {
        if let field = form.field(named: header.name) {
            part = .text(field, [])
        } else if let role = FileRole(part: header.name, of: kind) {
            part = .file(JournalFileIntake(header, role, store: store, configuration))
            // A file with a name counts even when it is empty. One without a name counts from its
            // first byte, because an empty file input of a form is no file.
            if header.filename?.isEmpty == false { try count(role) }
        } else {
            part = .discarded
        }
    }

    /// Counts the file that begins, once.
    private mutating func count(_ role: FileRole) throws(JournalFailure) {
        guard case .file(let file) = part, !file.isCounted else { return }
        file.isCounted = true
        if role == .voiceNote {
            guard !hasVoiceNote else { throw .field(FieldFault(named: file.part, .repeated)) }
            hasVoiceNote = true
        }
        let limit = role == .portrait ? 1 : configuration.filesMax
        guard filesCount < limit else { throw .filesTooMany(limit: limit) }
        filesCount += 1
    }

    private mutating func write(
        _ chunk: ByteBuffer, _ range: Range<Int>
    ) async throws(JournalFailure) {
        switch part {
        case .none: break
        case .discarded: try discard(range.count)
        case .text(let field, var bytes):
            part = .none
            chunk.readableBytesSpan.extracting(range).withUnsafeBytes {
                bytes.append(contentsOf: $0)
            }
            guard bytes.count <= field.bytesMax else {
                throw .field(FieldFault(field, .tooLong(bytesMax: field.bytesMax)))
            }
            part = .text(field, bytes)
        case .file(let file):
            try count(file.role)
            guard file.problem == nil else { return try discard(range.count) }
            do throws(MediaStoreError) {
                try await file.write(chunk.readablePart(range))
            } catch {
                throw .store(error)
            }
            if let problem = file.problem, file.role == .portrait { throw .file(problem) }
        }
    }

    private mutating func discard(_ bytes: Int) throws(JournalFailure) {
        discardedBytes += bytes
        guard discardedBytes <= configuration.discardedBytesMax else {
            throw .discardedTooMuch(bytesMax: configuration.discardedBytesMax)
        }
    }

    private mutating func endPart() throws(JournalFailure) {
        defer { part = .none }
        switch part {
        case .none, .discarded: break
        case .text(let field, let bytes):
            do throws(FieldFault) {
                try form.take(field, bytes)
            } catch {
                throw .field(error)
            }
        case .file(let file):
            if file.isCounted { files.append(file) }
        }
    }
}
