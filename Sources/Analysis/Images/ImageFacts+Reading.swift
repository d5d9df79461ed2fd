import CGExiv2

/// The only place that calls libgexiv2, which reads EXIF, IPTC and XMP.
///
/// Images come from strangers. So: only files with a known magic number, only up to
/// ``ImageFacts/bytesMax``, nothing is written, no name of a file is passed, everything that the
/// library allocates is freed here, and every text and number from it is checked before it leaves.
/// Each call has an object of its own, which no other thread sees.
extension ImageFacts {
    /// Loads what the library needs to be thread-safe; once a process.
    private static let isReady: Bool = {
        gexiv2_log_set_level(GEXIV2_LOG_LEVEL_MUTE)
        return gexiv2_initialize() != 0
    }()

    /// Scalars of a text taken from an image.
    private static let textMax = 80
    /// No camera makes more pixels along one side.
    private static let sideMax = 1 << 20

    /// Reads an image's metadata.
    public static func read(_ image: [UInt8]) -> Result<ImageFacts, Unreadable> {
        guard image.count <= bytesMax else { return .failure(.tooLarge(image.count)) }
        guard let format = Format(magic: image) else { return .failure(.unknownFormat) }
        var facts = ImageFacts(format: format, bytes: image.count)
        guard isReady, let metadata = gexiv2_metadata_new() else { return .success(facts) }
        defer { g_object_unref(metadata) }
        var error: UnsafeMutablePointer<GError>?
        let isOpen = image.withUnsafeBufferPointer { bytes in
            gexiv2_metadata_open_buf(metadata, bytes.baseAddress, bytes.count, &error)
        }
        g_clear_error(&error)
        guard isOpen != 0 else {
            // The library can be built without some formats; a file of those is no damaged one.
            let isCommon = [.jpeg, .png, .webp].contains(format)
            return isCommon ? .failure(.damaged(format)) : .success(facts)
        }
        facts.take(metadata)
        return .success(facts)
    }

    private mutating func take(_ metadata: UnsafeMutablePointer<GExiv2Metadata>) {
        width = Self.side(gexiv2_metadata_get_pixel_width(metadata))
        height = Self.side(gexiv2_metadata_get_pixel_height(metadata))
        var error: UnsafeMutablePointer<GError>?
        let orientation = gexiv2_metadata_try_get_orientation(metadata, &error)
        g_clear_error(&error)
        // 5 to 8 are the four that lie on a side.
        if (5...8).contains(orientation.rawValue) { swap(&width, &height) }
        taken =
            Self.text(metadata, "Exif.Photo.DateTimeOriginal").flatMap(Self.moment)
            ?? Self.text(metadata, "Exif.Image.DateTime").flatMap(Self.moment)
        camera = Self.camera(
            maker: Self.text(metadata, "Exif.Image.Make"),
            model: Self.text(metadata, "Exif.Image.Model"))
        var latitude = 0.0
        var longitude = 0.0
        let isPlaced =
            gexiv2_metadata_try_get_gps_latitude(metadata, &latitude, &error) != 0
            && error == nil
            && gexiv2_metadata_try_get_gps_longitude(metadata, &longitude, &error) != 0
            && error == nil
        g_clear_error(&error)
        // Cameras without a fix write zeros.
        if isPlaced, abs(latitude) <= 90, abs(longitude) <= 180, (latitude, longitude) != (0, 0) {
            coordinates = Coordinates(latitude: latitude, longitude: longitude)
        }
    }

    private static func side(_ pixels: Int32) -> Int? {
        pixels > 0 && pixels <= sideMax ? Int(pixels) : nil
    }

    /// A tag as text: one line, no control characters, not long; nil when it is not there.
    private static func text(
        _ metadata: UnsafeMutablePointer<GExiv2Metadata>, _ tag: String
    ) -> String? {
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
        let bytes = Array(text.utf8)
        guard bytes.count == 19 else { return nil }
        let pattern = Array("0000:00:00 00:00:00".utf8)
        let fits = zip(bytes, pattern).allSatisfy { byte, mark in
            mark == UInt8(ascii: "0") ? byte >= 48 && byte <= 57 : byte == mark
        }
        guard fits else { return nil }
        let day = text.prefix(10).split(separator: ":").joined(separator: "-")
        guard LocalDay(day) != nil else { return nil }
        return day + text.dropFirst(10)
    }

    /// "Apple" and "iPhone 15" → "Apple iPhone 15"; a maker named in the model is not said twice.
    private static func camera(maker: String?, model: String?) -> String? {
        guard let model else { return maker }
        guard let maker, !model.lowercased().hasPrefix(maker.lowercased()) else { return model }
        return maker + " " + model
    }
}
