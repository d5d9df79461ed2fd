import Inspections
import NIOCore

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
    /// - Parameter client: whose turn the inspection uses.
    /// - Returns: nil when there is a ``problem``.
    func finish(
        inspectedBy inspector: Inspector, for client: InspectionClient, keepsLocation: Bool
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
            found, of: writer, by: inspector, for: client, keepsLocation: keepsLocation)
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

    /// The type of a complete file, which may be shorter than those that a writer tells the type
    /// of.
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
