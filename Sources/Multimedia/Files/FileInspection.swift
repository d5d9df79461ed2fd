import MediaStorage

/// What is found out about, and done to, a file that is complete and not yet stored. Runs on a disk
/// thread.
struct FileInspection: Sendable, Equatable {
    /// What the bytes are: in the family of MP4, sound or video by what is in it.
    var type: MediaType?
    var facts = FileFacts()
    /// Coordinates were kept as asked, or there are none that we know how to find.
    var isLocationSettled = true

    static func run(
        _ file: StagedMedia, keepsLocation: Bool
    ) throws(MediaStoreError) -> FileInspection {
        let bytes = StagedBytes(file)
        var inspection = FileInspection()
        inspection.type = MediaType(content: try bytes.read(at: 0, MediaType.contentBytesMax))
        guard let type = inspection.type else { return inspection }
        if !keepsLocation {
            inspection.isLocationSettled = try LocationEraser.erase(from: bytes, type: type)
        }
        switch type.kind {
        case .image:
            let image = ImageFacts.read(file)
            inspection.facts = FileFacts(width: image?.width, height: image?.height)
            if image?.hasLocation == true, !keepsLocation { inspection.isLocationSettled = false }
        case .video, .audio:
            guard let media = MediaFacts.read(file, type: type) else { break }
            inspection.facts = media.facts
            if type == .mp4, media.hasSound, !media.hasPicture { inspection.type = .m4a }
        }
        return inspection
    }
}
