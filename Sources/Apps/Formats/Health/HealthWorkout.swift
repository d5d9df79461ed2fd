import HTTP
import JSONText

/// A workout of Health Auto Export, of both versions of its format.
struct HealthWorkout {
    private let fields: Fields

    init(_ fields: Fields) {
        self.fields = fields
    }

    /// Adds the workout as an event with its figures, its route, and its series.
    func add(to text: inout ReadingsText) {
        let figures = Fields(
            fields.members.filter { if case .array = $0.value { false } else { true } })
        HealthAutoExport.moment(of: figures).add(
            event: "workout", fields.values("name"),
            metadata: figures.without(["name", "start"]), to: &text)
        for member in fields.members {
            guard case .array(let elements) = member.value else { continue }
            for element in elements {
                if member.key == "route" {
                    Self.add(place: element, to: &text)
                } else {
                    HealthAutoExport.add(
                        point: element, Self.name(ofSeries: member.key), "", to: &text)
                }
            }
        }
    }

    /// `heartRateData` is the metric `heart_rate`.
    private static func name(ofSeries key: String) -> String {
        let name = ExportedMetric.name([key.hasSuffix("Data") ? String(key.dropLast(4)) : key])
        return name.isEmpty ? "workout" : name
    }

    private static func add(place element: JSONValue, to text: inout ReadingsText) {
        let place = Fields(element) ?? Fields([])
        HealthAutoExport.moment(of: place, in: element).add(
            Position(
                lat: place.values("latitude", or: "lat"), lon: place.values("longitude", or: "lon"),
                acc: place.values("horizontalAccuracy"), alt: place.values("altitude"),
                vacc: place.values("verticalAccuracy"), speed: place.values("speed"),
                course: place.values("course")),
            to: &text)
    }
}
