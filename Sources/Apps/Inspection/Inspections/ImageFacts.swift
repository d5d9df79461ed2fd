/// The facts in an image's header and metadata; pixels are not decoded.
public struct ImageFacts: Sendable, Equatable {
    /// Degrees; north and east are positive.
    public struct Coordinates: Sendable, Equatable {
        /// −90 to 90.
        public var latitude: Double
        /// −180 to 180.
        public var longitude: Double

        package init(latitude: Double, longitude: Double) {
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// Pixels, after the rotation that the image asks for; nil when unknown.
    public var width: Int?
    /// Pixels, after the rotation that the image asks for; nil when unknown.
    public var height: Int?
    /// 1 to 8, as in EXIF; 1 is upright.
    package var orientation = 1
    /// Whether it has EXIF GPS tags or an XMP property with `GPS` in its name.
    package var hasLocation = false
    /// EXIF's `DateTimeOriginal`, or else `DateTime`, in the camera's local time:
    /// `2026-01-24 10:30:00`.
    public var taken: String?
    /// From EXIF's GPS tags.
    public var coordinates: Coordinates?
    /// Maker and model: one line, at most ``textMax`` scalars each.
    public var camera: String?

    /// The most scalars of a text from an image.
    package static let textMax = 80
    /// A longer side is not believed.
    package static let sideMax = 1 << 20

    /// All values unknown.
    package init() {}

    /// Whether all values are within their bounds.
    package var isSound: Bool {
        let texts = [taken, camera].compactMap { $0 }
        return [width, height].allSatisfy { $0.map { (1...Self.sideMax).contains($0) } ?? true }
            && (1...8).contains(orientation) && (coordinates.map(Self.isOnEarth) ?? true)
            && texts.allSatisfy { text in
                text.unicodeScalars.count <= 2 * Self.textMax + 1
                    && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            }
    }

    package static func isOnEarth(_ place: Coordinates) -> Bool {
        abs(place.latitude) <= 90 && abs(place.longitude) <= 180
    }

    func write(to writer: inout AnswerWriter) {
        writer.put(width) { $0.put($1) }
        writer.put(height) { $0.put($1) }
        writer.put(orientation)
        writer.put(hasLocation)
        writer.put(taken) { $0.put($1) }
        writer.put(coordinates) {
            $0.put($1.latitude)
            $0.put($1.longitude)
        }
        writer.put(camera) { $0.put($1) }
    }

    init?(from reader: inout AnswerReader) {
        guard let width = reader.optional({ $0.number() }),
            let height = reader.optional({ $0.number() }), let orientation = reader.number(),
            let hasLocation = reader.flag(), let taken = reader.optional({ $0.text() }),
            let coordinates = reader.optional({ reader -> Coordinates? in
                guard let latitude = reader.double(), let longitude = reader.double() else {
                    return nil
                }
                return Coordinates(latitude: latitude, longitude: longitude)
            }), let camera = reader.optional({ $0.text() })
        else { return nil }
        (self.width, self.height, self.orientation) = (width, height, orientation)
        (self.hasLocation, self.taken, self.camera) = (hasLocation, taken, camera)
        self.coordinates = coordinates
    }
}
