import JSONText
import Readings

/// RFC 7946: a FeatureCollection with a LineString for each stretch, or a Point if it has only one
/// position. The third coordinate is the altitude, where it is known. `coordTimes` has the time of each position, as converters from GPX write it.
///
/// The times follow the coordinates, so both are held in memory until the feature ends.
struct GeoJSONWriter: TrackWriter {
    let limits = TrackCutter.Limits(
        positionsMax: Export.featurePositionsMax, endsAtAntimeridian: true)

    let head = "{\"type\":\"FeatureCollection\",\"features\":["
    let tail = "\n]}\n"

    private var device = ""
    private var user = ""
    private var isFirst = true
    private var coordinates = ""
    private var times = ""
    private var count = 0

    mutating func begin(_ device: String, of user: String) -> String {
        (self.device, self.user) = (device, user)
        return ""
    }

    mutating func write(_ step: TrackCutter.Step) -> String {
        switch step {
        case .begin(let position), .go(let position):
            add(position)
            return ""
        case .end: return feature()
        }
    }

    mutating func end(_ steps: [TrackCutter.Step]) -> String {
        var text = ""
        for step in steps { text += write(step) }
        return text
    }

    private mutating func add(_ position: Position) {
        if count > 0 {
            coordinates += ","
            times += ","
        }
        count += 1
        coordinates += "[\(position.longitude.plainDecimal),\(position.latitude.plainDecimal)"
        coordinates += position.altitude.map { ",\($0.plainDecimal)]" } ?? "]"
        times += "\"\(Timestamp(microseconds: position.microseconds).microsecondsText)\""
    }

    private mutating func feature() -> String {
        let geometry =
            count == 1
            ? "\"Point\",\"coordinates\":\(coordinates)"
            : "\"LineString\",\"coordinates\":[\(coordinates)]"
        let text = """
            \(isFirst ? "" : ",")
            {"type":"Feature","geometry":{"type":\(geometry)},"properties":{"device_id":\
            \(JSONString.quotedForTerminal(device)),"user_id":\(JSONString.quotedForTerminal(user)),\
            "coordTimes":[\(times)]}}
            """
        isFirst = false
        coordinates.removeAll(keepingCapacity: true)
        times.removeAll(keepingCapacity: true)
        count = 0
        return text
    }
}
