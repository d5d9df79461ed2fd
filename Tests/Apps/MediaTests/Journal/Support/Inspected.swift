@testable import Media
import NIOCore

/// A file as it is inspected while it is stored, and the stored result.
struct Inspected {
    let inspection: FileInspection
    let bytes: [UInt8]
    let object: StoredObject

    init(
        _ content: [UInt8], keepsLocation: Bool = false, in store: any MediaStore,
        by inspector: Inspector = .forTests()
    ) async throws {
        let writer = try await store.begin()
        try await writer.write(content.span.bytes)
        var (inspection, subject) = try await writer.inspect { file throws(MediaStoreError) in
            let inspection = try FileInspection(file, keepsLocation: keepsLocation)
            return (inspection, try InspectionSubject(file))
        }
        try await inspection.complete(
            subject, by: inspector, user: "u1", keepsLocation: keepsLocation)
        self.inspection = inspection
        object = try await writer.finish()
        bytes = Array(buffer: try await store.open(object.name).contents())
    }
}
