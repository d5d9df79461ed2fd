import MediaStorage
public import NIOCore

/// A create request's body on its way: fields into a form, files into the store, chunk by chunk.
///
/// Files are written as they come and wait, open, until the form is complete: only then it is known
/// whether their coordinates stay, and a form with a wrong field makes no object at all.
///
/// A file that can't be taken does not end the request: the rest of it is thrown away, up to
/// ``JournalConfiguration/discardedBytesMax``, and the files after it are stored. Where only one
/// file can come, the request ends at its fault. Whoever makes one calls ``abort()`` unless
/// ``finish()`` returned.
public struct JournalIntake {
    private enum Part {
        case none
        case text(JournalField, [UInt8])
        case file(JournalFileIntake)
        case discarded
    }

    private let kind: JournalKind
    private let user: String
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
    /// Complete, with their problems where they have one, in the order in which they came.
    private var files: [JournalFileIntake] = []

    init(
        _ kind: JournalKind, user: String, boundary: MultipartBoundary, keepsLocation: Bool,
        into store: any MediaStore, inspector: Inspector, configuration: JournalConfiguration
    ) {
        self.kind = kind
        self.user = user
        self.store = store
        self.inspector = inspector
        self.configuration = configuration
        self.keepsLocation = keepsLocation
        var limits = MultipartLimits()
        limits.partsMax = configuration.partsMax
        // Room for a file's name of 10 KiB, of which the display gets the end.
        limits.headerBytesMax = 16 << 10
        reader = MultipartReader(boundary: boundary, limits: limits)
        form = JournalForm(kind)
    }

    /// Takes the next piece of the body; returns when the store has it, so that a slow disk makes
    /// the client wait.
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

    /// The body has ended: inspects the files and makes them durable.
    ///
    /// - Returns: what ``JournalLibrary/commit(_:user:filesURL:errors:)`` takes, within the store's
    ///   grace time.
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
            do throws(MediaStoreError) {
                let upload = try await file.finish(
                    inspectedBy: inspector, user: user,
                    keepsLocation: keepsLocation || fields.keepsLocation)
                if let upload { uploads.append(upload) }
            } catch {
                throw .store(error)
            }
        }
        let problems = files.compactMap(\.problem)
        if uploads.isEmpty {
            if let problem = problems.first { throw .file(problem) }
            if kind.needsFile { throw .fileMissing }
        }
        return JournalEntry(kind: kind, problems: problems, fields: fields, files: uploads)
    }

    /// Keeps nothing of it: files that are complete go with a sweep.
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
            // An empty control of a form is no file; any other counts from its first byte.
            if header.filename?.isEmpty == false { try count(role) }
        } else {
            part = .discarded
        }
    }

    /// Counts the file that begins.
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
