import Inspections

/// The type and facts of a file that is complete and not yet stored.
struct FileInspection: Sendable, Equatable {
    /// Detected from the content. An MP4 file is sound or video by its tracks.
    var type: MediaType
    var facts = FileFacts()
    /// False when the file may name a place that must not stay and could not be removed.
    var isLocationSettled = true

    /// Has a process read the file, and makes the changes that remove its location, unless that is
    /// to be kept. A file that can't be read within the process's limits has no facts, and its
    /// location is not settled.
    ///
    /// - Throws: ``JournalFailure/inspection(_:)`` when the file is not the cause, and
    ///   ``JournalFailure/store(_:)``.
    init(
        _ type: MediaType, of writer: any MediaWriter, by inspector: Inspector,
        for client: InspectionClient, keepsLocation: Bool
    ) async throws(JournalFailure) {
        self.type = type
        let subject = try await InspectionSubject.upload(writer)
        let report: FileReport
        do throws(InspectionFailure) {
            report = try await inspector.report(
                on: try subject.get(), type, erasesLocation: !keepsLocation, of: client)
        } catch {
            guard error.isOfTheFile else { throw .inspection(error) }
            isLocationSettled = keepsLocation
            return
        }
        isLocationSettled = report.isLocationSettled
        if let image = report.image {
            facts = FileFacts(width: image.width, height: image.height)
        }
        if let film = report.film {
            facts = film.facts
            if type == .mp4, film.hasSound, !film.hasPicture { self.type = .m4a }
        }
        guard !report.edits.isEmpty else { return }
        do throws(MediaStoreError) {
            try await writer.inspect { file throws(MediaStoreError) in
                for edit in report.edits { try file.apply(edit) }
            }
        } catch {
            throw .store(error)
        }
    }
}
