import CGExiv2
import Glibc
import Inspections
import Times

/// The only place that calls libgexiv2, which reads EXIF, IPTC and XMP.
///
/// Images are untrusted, so this runs in a process of its own (``Inspection``). Nothing is written.
/// Everything that the library allocates is freed here, and every text and number from it is
/// checked before it is returned.
extension ImageFacts {
    private typealias Metadata = UnsafeMutablePointer<GExiv2Metadata>

    /// Initialises the library, so that it is thread-safe; once per process.
    private static let isReady: Bool = {
        gexiv2_log_set_level(GEXIV2_LOG_LEVEL_MUTE)
        return gexiv2_initialize() != 0
    }()

    /// - Returns: nil when the library can't read the image.
    static func read(_ image: UnsafeRawBufferPointer) -> ImageFacts? {
        guard isReady, let metadata = gexiv2_metadata_new() else { return nil }
        defer { g_object_unref(metadata) }
        var error: UnsafeMutablePointer<GError>?
        let isOpen = gexiv2_metadata_open_buf(
            metadata, image.assumingMemoryBound(to: UInt8.self).baseAddress, image.count, &error)
        g_clear_error(&error)
        guard isOpen != 0 else { return nil }
        var facts = ImageFacts()
        facts.width = side(gexiv2_metadata_get_pixel_width(metadata))
        facts.height = side(gexiv2_metadata_get_pixel_height(metadata))
        let orientation = gexiv2_metadata_try_get_orientation(metadata, &error)
        g_clear_error(&error)
        if (2...8).contains(orientation.rawValue) { facts.orientation = Int(orientation.rawValue) }
        // 5 to 8 are turned by 90 degrees.
        if facts.orientation >= 5 { swap(&facts.width, &facts.height) }
        facts.hasLocation =
            has("Exif.GPSInfo.", in: gexiv2_metadata_get_exif_tags(metadata))
            || has("GPS", in: gexiv2_metadata_get_xmp_tags(metadata))
        facts.taken =
            text(metadata, "Exif.Photo.DateTimeOriginal").flatMap(moment)
            ?? text(metadata, "Exif.Image.DateTime").flatMap(moment)
        facts.camera = camera(
            maker: text(metadata, "Exif.Image.Make"), model: text(metadata, "Exif.Image.Model"))
        facts.coordinates = coordinates(metadata)
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

    /// A tag as one line of text without control characters, cut to ``textMax``; nil when absent.
    private static func text(_ metadata: Metadata, _ tag: String) -> String? {
        var error: UnsafeMutablePointer<GError>?
        let value = gexiv2_metadata_try_get_tag_string(metadata, tag, &error)
        g_clear_error(&error)
        guard let value else { return nil }
        defer { g_free(value) }
        let scalars = String(cString: value).unicodeScalars
            .filter { $0.properties.generalCategory != .control }.prefix(textMax)
        let words = String(String.UnicodeScalarView(scalars))
            .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? nil : words
    }

    /// `2026:01:24 10:30:00` → `2026-01-24 10:30:00`; nil for anything else.
    private static func moment(_ text: String) -> String? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count == 19 else { return nil }
        let day = parts[0].split(separator: ":").joined(separator: "-")
        return isMoment(Array("\(day) \(parts[1])".utf8)) ? "\(day) \(parts[1])" : nil
    }

    /// - Parameter text: the form `2026-01-24 10:30:00`.
    private static func isMoment(_ text: [UInt8]) -> Bool {
        func number(_ range: Range<Int>) -> Int {
            text[range].reduce(0) { (48...57).contains($1) ? $0 * 10 + Int($1) - 48 : 1_000_000 }
        }
        let marks = [4, 7, 10, 13, 16].map { text[$0] }
        return marks == Array("-- ::".utf8)
            && CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10)) != nil
            && number(11..<13) < 24 && number(14..<16) < 60 && number(17..<19) < 60
    }

    /// "Apple" and "iPhone 15" → "Apple iPhone 15"; a maker in the model is not repeated.
    private static func camera(maker: String?, model: String?) -> String? {
        guard let model else { return maker }
        guard let maker, !model.lowercased().hasPrefix(maker.lowercased()) else { return model }
        return maker + " " + model
    }

    private static func coordinates(_ metadata: Metadata) -> Coordinates? {
        var place = Coordinates(latitude: 0, longitude: 0)
        var error: UnsafeMutablePointer<GError>?
        let isPlaced =
            gexiv2_metadata_try_get_gps_latitude(metadata, &place.latitude, &error) != 0
            && error == nil
            && gexiv2_metadata_try_get_gps_longitude(metadata, &place.longitude, &error) != 0
            && error == nil
        g_clear_error(&error)
        // Cameras without a position write zeros.
        let isZero = (place.latitude, place.longitude) == (0, 0)
        return isPlaced && !isZero && isOnEarth(place) ? place : nil
    }
}
