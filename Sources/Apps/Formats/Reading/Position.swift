import HTTP
import JSONText

/// A position as an app writes it, and how it is written for the scanner: degrees, metres, metres a
/// second.
///
/// What an app does not know it leaves out or gives as −1; the altitude is unknown where its
/// accuracy is negative.
struct Position {
    var lat: Values = []
    var lon: Values = []
    var acc: Values = []
    var alt: Values = []
    var vacc: Values = []
    var speed: Values = []
    /// Metres a second of the app's unit.
    var speedUnit = SpeedUnit.metresPerSecond
    var course: Values = []

    func add(to text: inout ReadingsText) {
        func known(_ number: Double) -> Double? { number < 0 ? nil : number }
        text.add("lat", numbers: lat) { $0 }
        text.add("lon", numbers: lon) { $0 }
        text.add("acc", numbers: acc, known)
        if !vacc.contains(where: { $0.number ?? 0 < 0 }) { text.add("alt", numbers: alt) { $0 } }
        text.add("vacc", numbers: vacc, known)
        text.add("speed", numbers: speed) { known($0).map { speedUnit.converted($0) } }
        text.add("course", numbers: course, known)
    }
}
