import Inspections
@testable import Media
import NIOCore

/// A file as it is inspected while it is stored, and the stored result.
struct Inspected {
    let type: MediaType?
    let facts: FileFacts
    let isLocationSettled: Bool
    let bytes: [UInt8]
    let object: StoredObject

    init(
        _ content: [UInt8], keepsLocation: Bool = false, in store: any MediaStore,
        by inspector: Inspector = .forTests()
    ) async throws {
        let writer = try await store.begin()
        try await writer.write(content.span.bytes)
        if let type = MediaType(content: content) {
            let inspection = try await FileInspection(
                type, of: writer, by: inspector, for: InspectionClient(user: "u1"),
                keepsLocation: keepsLocation)
            self.type = inspection.type
            (facts, isLocationSettled) = (inspection.facts, inspection.isLocationSettled)
        } else {
            (type, facts, isLocationSettled) = (nil, FileFacts(), true)
        }
        object = try await writer.finish()
        bytes = Array(buffer: try await store.open(object.name).contents())
    }
}
