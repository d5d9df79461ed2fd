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
    /// Complete files in the order of arrival, including those with a problem.
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
                inspectedBy: inspector, user: user,
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

/// A complete request: its fields are checked, its files are durable but not yet named by a row.
public struct JournalEntry: Sendable {
    /// The kind of record it creates.
    public let kind: JournalKind
    /// Files that were not stored, in the order of arrival.
    public let problems: [FileProblem]
    let fields: JournalFields
    let files: [JournalUpload]

    /// Bytes of the stored files.
    public var bytes: Int { files.reduce(0) { $0 + $1.object.bytes } }

    /// The number of stored files.
    public var fileCount: Int { files.count }

    /// The client's group, or a new one when the client sent several files without one.
    var groupID: String? {
        fields.groupID ?? (files.count + problems.count > 1 ? Journal.freshID() : nil)
    }
}

/// Why a whole request creates nothing.
public enum JournalFailure: Error, Equatable, Sendable {
    /// The body is not valid `multipart/form-data`.
    case multipart(MultipartError)
    /// A field breaks a rule.
    case field(FieldFault)
    /// The request has more files than this.
    case filesTooMany(limit: Int)
    /// The kind needs a file, and the request has none.
    case fileMissing
    /// None of the files could be accepted; this is the first one's problem.
    case file(FileProblem)
    /// The request has more bytes to discard than allowed. Stop reading.
    case discardedTooMuch(bytesMax: Int)
    /// The store failed.
    case store(MediaStoreError)
    /// The files could not be inspected; they are not the cause.
    case inspection(InspectionFailure)
    /// The request took so long that the sweeper may have removed its first files.
    case expired
}

/// One file of a request, from its first byte to the store or to a problem.
///
/// `@unchecked Sendable`: only the request's task uses it.
final class JournalFileIntake: @unchecked Sendable {
    let role: FileRole
    /// The part's name.
    let part: String
    /// Whether it counts among the request's files.
    var isCounted = false
    /// Why the file is not stored; when set, the rest of it is discarded.
    private(set) var problem: FileProblem?
    private let filename: String?
    private let store: any MediaStore
    private let bytesMax: Int
    private var writer: (any MediaWriter)?
    private var isTypeSeen = false

    init(
        _ header: PartHeader, _ role: FileRole, store: any MediaStore,
        _ configuration: JournalConfiguration
    ) {
        self.role = role
        self.store = store
        part = header.name
        filename = header.filename
        bytesMax = role.bytesMax(configuration)
    }

    func write(_ piece: ByteBuffer) async throws(MediaStoreError) {
        let writer = try await begun()
        guard writer.bytes + piece.readableBytes <= bytesMax else {
            return await refuse(.tooLarge(bytesMax: bytesMax))
        }
        try await writer.write(piece)
        // Checked as soon as the first bytes are there, so that the rest of a file of a wrong type
        // is not written.
        guard !isTypeSeen, writer.bytes >= MediaType.contentBytesMax else { return }
        isTypeSeen = true
        if !role.mayBecomeAccepted(writer.type) { await refuse(unsupported(writer.type)) }
    }

    /// Call it when the part has ended. Inspects the file and makes it durable.
    ///
    /// - Parameter user: the user whose turn the inspection uses.
    /// - Returns: nil when there is a ``problem``.
    func finish(
        inspectedBy inspector: Inspector, user: String, keepsLocation: Bool
    ) async throws(JournalFailure) -> JournalUpload? {
        guard problem == nil else { return nil }
        guard let writer else {
            await refuse(.empty)
            return nil
        }
        let found = try await Self.type(of: writer)
        guard let found, role.mayBecomeAccepted(found) else {
            await refuse(unsupported(found))
            return nil
        }
        let inspection = try await FileInspection(
            found, of: writer, by: inspector, user: user, keepsLocation: keepsLocation)
        guard role.accepted.contains(inspection.type) else {
            await refuse(unsupported(inspection.type))
            return nil
        }
        guard inspection.isLocationSettled else {
            await refuse(.locationNotRemovable)
            return nil
        }
        let object: StoredObject
        do throws(MediaStoreError) {
            object = try await writer.finish()
        } catch {
            throw .store(error)
        }
        return JournalUpload(
            id: Journal.freshID(), object: object, type: inspection.type,
            name: FileName.cleaned(filename, type: inspection.type), role: role,
            facts: inspection.facts,
            finishedAt: .now)
    }

    func abort() async {
        await writer?.abort()
        writer = nil
    }

    /// The type of a complete file, which may be shorter than those that a writer tells the type of.
    private static func type(
        of writer: any MediaWriter
    ) async throws(JournalFailure) -> MediaType? {
        do throws(MediaStoreError) {
            return try await writer.inspect { file throws(MediaStoreError) in
                MediaType(content: try file.read(at: 0, MediaType.contentBytesMax))
            }
        } catch {
            throw .store(error)
        }
    }

    private func begun() async throws(MediaStoreError) -> any MediaWriter {
        if let writer { return writer }
        let writer = try await store.begin()
        self.writer = writer
        return writer
    }

    private func refuse(_ fault: FileFault) async {
        problem = FileProblem(
            part: part, name: FileName.cleaned(filename, type: nil), fault: fault)
        await abort()
    }

    private func unsupported(_ type: MediaType?) -> FileFault {
        .typeUnsupported(found: type, accepted: role.accepted)
    }
}
