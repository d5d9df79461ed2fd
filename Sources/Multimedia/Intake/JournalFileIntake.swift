import MediaStorage
import NIOCore

/// One file of a request, from its first byte to the store or to the reason why not.
///
/// `@unchecked Sendable`: the request's task alone uses it.
final class JournalFileIntake: @unchecked Sendable {
    let role: FileRole
    /// The part's name.
    let part: String
    /// It counts among the request's files.
    var isCounted = false
    /// Set: nothing more of it is wanted.
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
        // As soon as the first bytes tell: the rest of a wrong file is not written.
        guard !isTypeSeen, writer.bytes >= MediaType.contentBytesMax else { return }
        isTypeSeen = true
        if !role.mayBecomeAccepted(writer.type) { await refuse(unsupported(writer.type)) }
    }

    /// The part has ended: inspects the file and makes it durable.
    ///
    /// - Parameter user: whose turn it is.
    /// - Returns: nil when there is a ``problem``.
    func finish(
        inspectedBy inspector: Inspector, user: String, keepsLocation: Bool
    ) async throws(MediaStoreError) -> JournalUpload? {
        guard problem == nil else { return nil }
        guard let writer else {
            await refuse(.empty)
            return nil
        }
        var (inspection, subject) = try await writer.inspect { file throws(MediaStoreError) in
            let inspection = try FileInspection(file, keepsLocation: keepsLocation)
            return (inspection, try InspectionSubject(file))
        }
        if role.mayBecomeAccepted(inspection.type) {
            do throws(InspectionFailure) {
                try await inspection.complete(
                    subject, by: inspector, user: user, keepsLocation: keepsLocation)
            } catch {
                throw MediaStoreError(error)
            }
        }
        guard let type = inspection.type, role.accepted.contains(type) else {
            await refuse(unsupported(inspection.type))
            return nil
        }
        guard inspection.isLocationSettled else {
            await refuse(.locationNotRemovable)
            return nil
        }
        let object = try await writer.finish()
        return JournalUpload(
            id: Multimedia.freshID(), object: object, type: type,
            name: FileName.cleaned(filename, type: type), role: role, facts: inspection.facts,
            finishedAt: .now)
    }

    func abort() async {
        await writer?.abort()
        writer = nil
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
