/// The type and facts of a file that is complete and not yet stored.
struct FileInspection: Sendable, Equatable {
    /// Detected from the content. An MP4 file is sound or video by its streams.
    var type: MediaType?
    var facts = FileFacts()
    /// False when the file has coordinates that must not stay and could not be removed.
    var isLocationSettled = true

    /// Detects the type and removes the location, unless it is to be kept. Call on a disk thread.
    init(_ file: StagedMedia, keepsLocation: Bool) throws(MediaStoreError) {
        let bytes = StagedBytes(file)
        type = MediaType(content: try bytes.read(at: 0, MediaType.contentBytesMax))
        guard let type, !keepsLocation else { return }
        isLocationSettled = try LocationEraser.erase(from: bytes, type: type)
    }

    /// Reads the facts in a separate process. A file that can't be read within the process's limits
    /// has no facts.
    ///
    /// - Throws: ``InspectionFailure/stopped`` and ``InspectionFailure/notStarted(errno:)``.
    mutating func complete(
        _ subject: InspectionSubject, by inspector: Inspector, user: String, keepsLocation: Bool
    ) async throws(InspectionFailure) {
        guard let type else { return }
        do throws(InspectionFailure) {
            switch type.kind {
            case .image:
                let image = try await inspector.image(subject, type, user: user)
                facts = FileFacts(width: image.width, height: image.height)
                if image.hasLocation, !keepsLocation { isLocationSettled = false }
            case .video, .audio:
                let media = try await inspector.film(subject, type, user: user)
                facts = media.facts
                if type == .mp4, media.hasSound, !media.hasPicture { self.type = .m4a }
            }
        } catch {
            guard error.isOfTheFile else { throw error }
        }
    }
}

/// The facts of a file; nil where unknown.
struct FileFacts: Codable, Sendable, Equatable {
    /// Pixels, after the rotation that the file asks for.
    var width: Int?
    var height: Int?
    /// Seconds.
    var duration: Double?
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
    /// The file holds a location in a form that can't be removed.
    case locationNotRemovable
}
