/// A parsed page of `/metrics`.
struct MetricsPage {
    private var samples: [String: Double] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            samples[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
    }

    subscript(_ series: String) -> Int {
        Int(samples[series] ?? -1)
    }

    func outcome(_ name: String) -> Int {
        self["sluice_readings_total{outcome=\"\(name)\"}"]
    }

    var received: Int { self["sluice_readings_received_total"] }

    /// The sum of all outcomes and of readings in flight; must equal the received readings.
    var settledAndInFlight: Int {
        outcome("stored") + outcome("duplicate") + outcome("quarantined") + outcome("refused")
            + self["sluice_readings_in_flight"]
    }
}
