import HTTP
import JSONText

/// Health Auto Export for iOS: `{"data":{"metrics":[…],"workouts":[…],…}}`.
///
/// - The app's usual period sends the whole previous day several times a day. Each value is stored
///   once, as everywhere.
/// - A metric's values become vitals by its name (``ExportedMetric``), each figure of a point one of
///   them. A workout becomes an event, its route positions, and its series vitals. Other lists, and
///   points without a figure, become events. So nothing is dropped for its kind.
/// - The app names no device: the key does, or the query's `device`.
/// - Source: the app's help, "Export format".
enum HealthAutoExport {
    /// A day with each heartbeat of a watch takes some MB.
    static let bytesMax = 16 << 20
    /// Of a point; a night's sleep has about ten.
    private static let figuresMax = 64

    static let format = InputFormat(
        challenge: "X-API-Key", media: .any, bytesMax: bytesMax, spooledStatus: 200,
        answer: { outcome, _, body in outcome.write(to: &body) }, translation: translate)

    private static func translate(
        _ bytes: RawSpan, _ request: InputRequest
    ) throws(RequestFailure) -> ReadingsText? {
        let body = try JSONBody.object(bytes)
        guard body.has("data") else {
            throw .member(["data"], "Field required", type: "missing")
        }
        guard body.values("data").allSatisfy({ Fields($0) != nil }) else {
            throw .member(["data"], "Input should be an object", type: "dict_type")
        }
        guard let origin = Origin(request, devices: [], app: "health") else {
            throw .deviceMissing(
                "add ?device=NAME to the URL, or use a key of a user or device")
        }
        var text = ReadingsText(device: origin.device, user: origin.user)
        let data = body.object("data")
        for metric in data.elements("metrics") { try add(metric: metric, to: &text) }
        for workout in data.elements("workouts") {
            if let fields = Fields(workout) {
                HealthWorkout(fields).add(to: &text)
            } else {
                moment(of: Fields([]), in: workout).add(event: "workout", to: &text)
            }
            try text.checkSize()
        }
        for member in data.members where member.key != "metrics" && member.key != "workouts" {
            for element in Fields([member]).elements(member.key) {
                let fields = Fields(element) ?? Fields([])
                moment(of: fields, in: element).add(
                    event: ExportedMetric.name([member.key]), metadata: fields, to: &text)
            }
            try text.checkSize()
        }
        return text.count == 0 ? nil : text
    }

    private static func add(
        metric: JSONValue, to text: inout ReadingsText
    ) throws(RequestFailure) {
        let fields = Fields(metric) ?? Fields([])
        let (name, unit) = (fields.text("name") ?? "", fields.text("units") ?? "")
        guard fields.has("data") else {
            return moment(of: Fields([]), in: metric).add(
                event: ExportedMetric.name([name]), to: &text)
        }
        for point in fields.elements("data") {
            add(point: point, name, unit, to: &text)
            try text.checkSize()
        }
    }

    /// Adds all figures of a point. One with none, or with more than any metric has, is an event.
    static func add(
        point element: JSONValue, _ name: String, _ unit: String, to text: inout ReadingsText
    ) {
        let point = Fields(element) ?? Fields([])
        let metric = ExportedMetric(
            name, unit: point.text("units") ?? unit,
            variant: word("value", of: point) ?? word("reason", of: point))
        let moment = moment(of: point, in: element)
        let figures = figures(of: point)
        guard (1...figuresMax).contains(figures.count) else {
            moment.add(
                event: ExportedMetric.name([name]), metadata: point.without(["date"]), to: &text)
            return
        }
        for (key, values) in figures {
            switch metric.identity(of: key) {
            case .code(let code):
                moment.add(code: code, values, to: &text) { metric.converted($0) }
            case .name(let name):
                moment.add(metric: name, values, to: &text) { metric.converted($0) }
            }
        }
    }

    /// Keys and values in their order; a key that stands twice has two values.
    private static func figures(of point: Fields) -> [(key: String, values: Values)] {
        var figures: [(key: String, values: Values)] = []
        var places: [String: Int] = [:]
        for member in point.members where !times.contains(member.key) {
            let isFigure =
                isFigure(member.key) ? member.value != .null : isNumber(member.value)
            if let place = places[member.key] {
                figures[place].values.append(member.value)
            } else if isFigure {
                places[member.key] = figures.count
                figures.append((member.key, [member.value]))
            }
        }
        return figures
    }

    /// A text that says which kind of the metric a point is.
    private static func word(_ key: String, of point: Fields) -> String? {
        point.values(key).lazy.compactMap { value -> String? in
            if case .string(let word) = value { word } else { nil }
        }.first
    }

    /// Whether a key is a figure whatever its value is.
    private static func isFigure(_ key: String) -> Bool {
        ["qty", "Avg", "Min", "Max"].contains(key)
    }

    private static func isNumber(_ value: JSONValue) -> Bool {
        if case .number = value { true } else { false }
    }

    /// Keys of times, the one that counts first.
    private static let times = [
        "date", "timestamp", "start", "startDate", "sleepStart", "inBedStart", "end", "endDate",
        "sleepEnd", "inBedEnd",
    ]

    /// The time of a point. A date without a time gives way to the time at which something began.
    ///
    /// - Parameter element: what the app has sent; nil: these fields.
    static func moment(of point: Fields, in element: JSONValue? = nil) -> Moment {
        func isExact(_ value: JSONValue) -> Bool {
            if case .string(let text) = value { !HealthTime.isDate(text) } else { true }
        }
        let given = times.filter { point.has($0) }
        let key = given.first { point.values($0).contains(where: isExact) } ?? given.first
        let values = point.values(key ?? "date")
        return Moment(
            of: element ?? .object(point.members),
            times: values.lazy.map { value in
                if case .string(let text) = value {
                    .string(HealthTime.normalized(text))
                } else {
                    value
                }
            })
    }
}
