import Inspections
import NIOCore
import Postgres

extension JournalLibrary {
    /// A smaller version of an image. It is made on the first request and stored for later ones. An
    /// image that is narrow enough is returned itself.
    ///
    /// A thumbnail is an object of the store like any other. Its row is deleted with the file's. A
    /// separate process makes it (``Inspector``). A content that failed is not tried again for
    /// ``InspectorConfiguration/faultAge``.
    ///
    /// - Parameter client: who asks, and whose file it is.
    public func thumbnail(
        of file: JournalFile, width: ThumbnailWidth, for client: InspectionClient
    ) async throws -> ThumbnailOutcome {
        guard let type = MediaType(rawValue: file.media.contentType), type.kind == .image else {
            return .unsupported
        }
        guard let fileWidth = file.width, let fileHeight = file.height else { return .unreadable }
        if fileWidth <= width.pixels {
            return try await open(file).map { .made($0) } ?? .gone
        }
        let pixelsMax = configuration.thumbnailPixelsMax
        guard fileWidth * fileHeight <= pixelsMax else { return .tooManyPixels(max: pixelsMax) }
        guard let path = MediaPath("journal/\(file.id)/w\(width.pixels)") else {
            preconditionFailure("BUG: file \(file.id)")
        }
        if let known = try await media.open(path) { return .made(known) }
        // Checked before waiting for a turn: a request that can't succeed need not wait.
        if let failure = inspector.failure(of: file.media.object.digest) {
            return try ThumbnailOutcome(failure, pixelsMax: pixelsMax)
        }
        let outcome = try await inspector.thumbnails.turn(of: client) {
            // An earlier holder of the turn may have made it.
            if let known = try await media.open(path) { return ThumbnailOutcome.made(known) }
            return try await make(file, type, width, as: path, for: client)
        }
        return outcome ?? .busy
    }

    private func make(
        _ file: JournalFile, _ type: MediaType, _ width: ThumbnailWidth, as path: MediaPath,
        for client: InspectionClient
    ) async throws -> ThumbnailOutcome {
        guard let stored = try await open(file) else { return .gone }
        let pixelsMax = configuration.thumbnailPixelsMax
        let image: EncodedImage
        do {
            image = try await inspector.thumbnail(
                of: stored, type, for: client, width: width.pixels, pixelsMax: pixelsMax)
        } catch let failure as InspectionFailure {
            return try ThumbnailOutcome(failure, pixelsMax: pixelsMax)
        }
        guard try await store(image, of: file, width, as: path),
            let thumbnail = try await media.open(path)
        else { return .gone }
        return .made(thumbnail)
    }

    /// - Returns: false when the file has been deleted.
    private func store(
        _ image: EncodedImage, of file: JournalFile, _ width: ThumbnailWidth,
        as path: MediaPath
    ) async throws -> Bool {
        let writer = try await media.store.begin()
        let object: StoredObject
        do {
            try await writer.write(image.bytes.span.bytes)
            object = try await writer.finish()
        } catch {
            await writer.abort()
            throw error
        }
        let owner = file.media.owner
        do {
            try await database.withConnection { connection in
                try connection.transaction(attempts: Self.attemptsMax) {
                    try MediaCatalog.store(
                        object, as: path, contentType: image.type.rawValue, owner: owner,
                        on: connection)
                    var parameters = Parameters()
                    parameters.append(text: file.id)
                    parameters.append(int2: Int16(width.pixels))
                    // Another node may have been faster. Then its row names the object that was
                    // stored here.
                    _ = try connection.query(
                        """
                        insert into sluice.journal_thumbnail (file_id, width) values ($1, $2)
                        on conflict do nothing
                        """, parameters)
                    parameters.removeAll()
                    parameters.append(text: file.id)
                    // Earlier versions made other widths. Their thumbnails are the oldest and go
                    // first.
                    parameters.append(int4: Int32(ThumbnailWidth.made.count))
                    _ = try connection.query(
                        "select sluice.trim_journal_thumbnails($1, $2)", parameters)
                }
            }
        } catch let error as PostgresError where error.sqlState == "23503" {
            return false
        }
        return true
    }
}
