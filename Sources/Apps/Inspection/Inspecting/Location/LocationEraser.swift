import Inspections

/// Removes what may name a place from a file in memory. Nothing moves, pixels and sound are not
/// touched, and the length stays the same.
///
/// Metadata is not searched for places, because there is no end to the forms in which they are
/// written. What a format needs, and what is known to name no place, stays; all else is blanked.
///
/// | files | what stays |
/// |---|---|
/// | JPEG, PNG, WebP | pictures, colour profiles; EXIF: the camera, its settings, times,
/// orientation |
/// | JPEG, PNG, WebP | XMP that mentions no place and holds no picture |
/// | JPEG | further pictures that the first one lists (Multi-Picture Format), treated like it |
/// | GIF | frames, their times, the loop |
/// | MP4, QuickTime, M4A | tracks of pictures and sound; tracks of other data if no place is
/// mentioned |
/// | MP3, WAV | sound |
///
/// So titles, comments, cover pictures, makers' notes, and all bytes after a file's end (the film
/// of a "motion photo") are lost. Not examined: what pictures show and recordings say.
enum LocationEraser {
    /// - Throws: when the file may name a place after all; then it must not be used.
    static func erase(from file: FileBytes, type: MediaType) throws(Unsettled) {
        switch type {
        case .jpeg: _ = try JPEGLocation.erase(from: file, 0..<file.count)
        case .png: try PNGLocation.erase(from: file)
        case .webp: try WebPLocation.erase(from: file)
        case .gif: try GIFLocation.erase(from: file)
        case .mp4, .mov, .m4a: try MovieLocation.erase(from: file)
        case .mp3: try MP3Sound(file).eraseRest()
        case .wav: try WaveSound(file).eraseRest()
        // The journal accepts no others.
        default: throw .notRemovable
        }
    }
}
