/// What is found out about, and done to, a file that is complete and not yet stored.
struct FileInspection: Sendable, Equatable {
    /// What the bytes are: in the family of MP4, sound or video by what is in it.
    var type: MediaType?
    var facts = FileFacts()
    /// Coordinates were kept as asked, or there are none that we know how to find.
    var isLocationSettled = true

    /// Looks at the first bytes and takes out where the file was made, unless that is to be kept. On a
    /// disk thread.
    init(_ file: StagedMedia, keepsLocation: Bool) throws(MediaStoreError) {
        let bytes = StagedBytes(file)
        type = MediaType(content: try bytes.read(at: 0, MediaType.contentBytesMax))
        guard let type, !keepsLocation else { return }
        isLocationSettled = try LocationEraser.erase(from: bytes, type: type)
    }

    /// Has the rest found out by a process of its own. A file that can't be read, or not within the
    /// process's limits, has no facts.
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

/// What a file tells of itself; nil where it does not tell.
struct FileFacts: Codable, Sendable, Equatable {
    /// Pixels, as it is to be seen: turned as the file asks.
    var width: Int?
    var height: Int?
    /// Seconds.
    var duration: Double?
}

/// A file that was not stored.
public struct FileProblem: Error, Equatable, Sendable {
    /// The part's name.
    public let part: String
    /// What the client calls the file, cleaned for display.
    public let name: String
    /// Why not.
    public let fault: FileFault
}

/// Why one file of a request was not stored; the others may be.
public enum FileFault: Error, Equatable, Sendable {
    /// More bytes than this.
    case tooLarge(bytesMax: Int)
    /// Its bytes are something else than is taken here; nil: nothing that is known.
    case typeUnsupported(found: MediaType?, accepted: [MediaType])
    /// A file with a name and without bytes.
    case empty
    /// It says where it was made, in a form that can't be taken out.
    case locationNotRemovable
}
