public import Inspections

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
        _ type: MediaType, of writer: any MediaWriter, by inspector: Inspector, user: String,
        keepsLocation: Bool
    ) async throws(JournalFailure) {
        self.type = type
        let subject = try await InspectionSubject.upload(writer)
        let report: FileReport
        do throws(InspectionFailure) {
            report = try await inspector.report(
                on: try subject.get(), type, erasesLocation: !keepsLocation, user: user)
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

/// A file that was not stored.
public struct FileProblem: Error, Equatable, Sendable {
    /// The part's name.
    public let part: String
    /// The client's name for the file, cleaned for display.
    public let name: String
    /// Why not.
    public let fault: FileFault
}

/// Why one file of a request was not stored; the others may be.
public enum FileFault: Error, Equatable, Sendable {
    /// More than this many bytes.
    case tooLarge(bytesMax: Int)
    /// The content is not an accepted type; `found` is nil when the type is unknown.
    case typeUnsupported(found: MediaType?, accepted: [MediaType])
    /// The file has a name but no bytes.
    case empty
    /// The file may name a place in a form that can't be removed, or it can't be read within the
    /// limits, so that nobody knows.
    case locationNotRemovable
}
