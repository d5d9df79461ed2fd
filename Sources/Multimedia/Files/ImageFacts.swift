import CGExiv2
import MediaStorage
import Glibc

/// What an image's header and metadata tell, read by libgexiv2.
///
/// Images come from strangers. So: only files with a known magic number, nothing is written, no
/// name that anybody gave is passed, everything that the library allocates is freed here, and every
/// number from it is checked before it leaves. Each call has an object of its own.
struct ImageFacts: Sendable, Equatable {
    /// Pixels, as it is to be seen: turned as it asks.
    var width: Int?
    var height: Int?
    /// 1 to 8, as EXIF counts them; 1 is upright.
    var orientation = 1
    /// It has a GPS directory or an XMP property of its name.
    var hasLocation = false

    /// More along one side is no picture.
    private static let sideMax = 1 << 20

    /// Loads what the library needs to be thread-safe; once a process.
    private static let isReady: Bool = {
        gexiv2_log_set_level(GEXIV2_LOG_LEVEL_MUTE)
        return gexiv2_initialize() != 0
    }()

    /// - Returns: nil for what the library can't read.
    static func read(_ file: StagedMedia) -> ImageFacts? {
        read { metadata, error in
            gexiv2_metadata_open_path(metadata, "/proc/self/fd/\(file.descriptor)", &error)
        }
    }

    static func read(_ image: UnsafeRawBufferPointer) -> ImageFacts? {
        read { metadata, error in
            gexiv2_metadata_open_buf(
                metadata, image.assumingMemoryBound(to: UInt8.self).baseAddress, image.count, &error
            )
        }
    }

    private static func read(
        _ open: (UnsafeMutablePointer<GExiv2Metadata>, inout UnsafeMutablePointer<GError>?) ->
            gboolean
    ) -> ImageFacts? {
        guard isReady, let metadata = gexiv2_metadata_new() else { return nil }
        defer { g_object_unref(metadata) }
        var error: UnsafeMutablePointer<GError>?
        let isOpen = open(metadata, &error)
        g_clear_error(&error)
        guard isOpen != 0 else { return nil }
        var facts = ImageFacts()
        facts.width = side(gexiv2_metadata_get_pixel_width(metadata))
        facts.height = side(gexiv2_metadata_get_pixel_height(metadata))
        let orientation = gexiv2_metadata_try_get_orientation(metadata, &error)
        g_clear_error(&error)
        if (2...8).contains(orientation.rawValue) { facts.orientation = Int(orientation.rawValue) }
        // 5 to 8 lie on a side.
        if facts.orientation >= 5 { swap(&facts.width, &facts.height) }
        facts.hasLocation =
            has("Exif.GPSInfo.", in: gexiv2_metadata_get_exif_tags(metadata))
            || has("GPS", in: gexiv2_metadata_get_xmp_tags(metadata))
        return facts
    }

    private static func side(_ pixels: Int32) -> Int? {
        pixels > 0 && pixels <= sideMax ? Int(pixels) : nil
    }

    private static func has(
        _ word: String, in tags: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Bool {
        guard let tags else { return false }
        defer { g_strfreev(tags) }
        var next = tags
        while let tag = next.pointee {
            if strstr(tag, word) != nil { return true }
            next += 1
        }
        return false
    }
}
