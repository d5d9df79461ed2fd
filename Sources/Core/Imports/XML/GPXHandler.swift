import Readings

/// The points of tracks in GPX 1.0 and 1.1. Routes and waypoints are plans, and left out.
///
/// `ele`, `speed` and `course` are imported where positions have such fields; so are speed, course and
/// the accuracies in a point's `extensions`, as Apple's Health app and others write them. What else
/// is there, such as a heart rate, is counted, and so are elements of other namespaces beside those
/// of GPX. In what `sluice export` wrote, a track's name is the
/// device and its description the user.
final class GPXHandler: XMLHandler {
    private let output: ImportOutput
    /// Whether tracks name devices.
    private let isOwn: Bool
    /// Of names that are GPX's: that of the first element, and those that it binds.
    private let prefixes: Set<String>
    private var track: (device: String?, user: String?) = (nil, nil)
    private var point: Point?
    private var isInTrack = false
    /// Elements open below the track, or below the point.
    private var depth = 0
    /// `depth` around the point.
    private var outerDepth = 0
    /// Whether the element below the point that is open, or was last, is `extensions`.
    private var isInExtensions = false
    /// The text of the element that is open, where it is wanted.
    private var text: [UInt8]?

    private struct Point {
        let line: Int
        var draft: ReadingDraft
        var hasTime = false
        /// Fields that it has; a second value would make it a bad reading.
        var fields: Set<String> = []
    }

    private static let fields = ["ele": "alt", "speed": "speed", "course": "course"]
    /// In `extensions`. A negative number means that the value is not known.
    private static let extensions = [
        "speed": "speed", "course": "course", "hAcc": "acc", "vAcc": "vacc",
    ]
    /// Characters of an element's name that are told.
    private static let nameMax = 64

    /// How the names of GPX's namespaces begin.
    private static let namespace = "http://www.topografix.com/GPX/"

    /// - Parameters:
    ///   - prefix: of the first element.
    ///   - attributes: of the first element.
    init(_ output: ImportOutput, prefix: String, _ attributes: XMLAttributes) {
        self.output = output
        isOwn = attributes["creator"] == "Sluice"
        prefixes = attributes.prefixes(boundTo: Self.namespace).union([prefix])
    }

    func begin(_ name: String, prefix: String, _ attributes: XMLAttributes, line: Int) throws {
        if name == "trk" {
            (isInTrack, track, depth) = (true, (nil, nil), 0)
            return
        }
        guard isInTrack else {
            if name == "rtept" || name == "wpt" { output.leaveOut(.plan) }
            return
        }
        if name == "trkpt", point == nil {
            var draft = ReadingDraft()
            draft.add("type", text: ReadingKind.gps.name)
            if let latitude = attributes["lat"] { draft.add("lat", text: latitude) }
            if let longitude = attributes["lon"] { draft.add("lon", text: longitude) }
            (point, outerDepth, depth) = (Point(line: line, draft: draft), depth, 0)
            return
        }
        depth += 1
        let isForeign = depth == 1 && self.isForeign(prefix, attributes)
        if depth == 1 { isInExtensions = point != nil && name == "extensions" && !isForeign }
        text = isWanted(name) && !isForeign ? [] : nil
        if isForeign, point != nil { leaveOut(prefix.isEmpty ? name : "\(prefix):\(name)") }
    }

    /// Whether an element is not GPX's. Files that bind no namespace at all are taken, too.
    private func isForeign(_ prefix: String, _ attributes: XMLAttributes) -> Bool {
        if prefix.isEmpty, let namespace = attributes["xmlns"] {
            return !namespace.hasPrefix(Self.namespace)
        }
        return !prefixes.contains(prefix)
    }

    private func leaveOut(_ name: String) {
        output.leaveOut(.field(String(name.prefix(Self.nameMax))))
    }

    private func isWanted(_ name: String) -> Bool {
        if point == nil { return depth == 1 && isOwn && ["name", "desc"].contains(name) }
        return depth == 1 ? name == "time" || Self.fields[name] != nil : isInExtensions
    }

    func end(_ name: String) throws {
        if name == "trk" { isInTrack = false }
        guard isInTrack else { return }
        if name == "trkpt", depth == 0, let point {
            (self.point, depth) = (nil, outerDepth)
            guard point.hasTime else { return output.leaveOut(.timeless) }
            return try output.add(
                line: point.line, device: track.device, user: track.user, point.draft.finished())
        }
        depth -= 1
        guard let text else { return }
        self.text = nil
        if point != nil {
            addToPoint(name, text)
        } else if name == "name" {
            track.device = String(decoding: text, as: UTF8.self)
        } else {
            track.user = String(decoding: text, as: UTF8.self)
        }
    }

    private func addToPoint(_ name: String, _ text: [UInt8]) {
        let text = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
        if depth > 0 {
            guard !text.isEmpty else { return }
            guard let field = Self.extensions[name] else { return leaveOut(name) }
            // -0 is known.
            let isUnknown = Double(text).map { $0 < 0 } ?? false
            if !isUnknown { add(field, named: name, text) }
        } else if name == "time" {
            point?.draft.add("t", text: text)
            point?.hasTime = true
        } else if let field = Self.fields[name] {
            add(field, named: name, text)
        }
    }

    private func add(_ field: String, named name: String, _ text: String) {
        if ReadingColumns.field(field, of: .gps) != nil,
            point?.fields.insert(field).inserted == true
        {
            point?.draft.add(field, text: text)
        } else {
            output.leaveOut(.field(name))
        }
    }

    func add(_ text: UnsafeRawBufferPointer) throws {
        guard let old = self.text else { return }
        guard old.count + text.count <= Imports.lineBytesMax else {
            throw output.fault(point?.line ?? 1, .tooLong(max: Imports.lineBytesMax))
        }
        self.text?.append(contentsOf: text)
    }
}
