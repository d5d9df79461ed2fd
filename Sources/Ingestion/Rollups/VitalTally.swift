import Scanning

/// Sums up one device's measurements by minute and code.
struct VitalTally {
    /// A row of `sluice.vital_part`.
    struct Part: Equatable {
        let minute: Int64
        let code: Int16
        var readings: Int32
        var low: Double
        var high: Double
        var total: Double
        var lastTime: Int64
        var last: Double

        mutating func add(_ time: Int64, _ value: Double) {
            readings += 1
            low = min(low, value)
            high = max(high, value)
            total += value
            if (time, value) > (lastTime, last) { (lastTime, last) = (time, value) }
        }
    }

    private struct Name: Hashable {
        let minute: Int64
        let code: Int16
    }

    private(set) var parts: [Part] = []
    /// Places in `parts`; made once there are more of them than are looked through.
    private var places: [Name: Int] = [:]

    /// Readings come by time, so what a reading belongs to is nearly always among the last few.
    private static let lookedThroughMax = 12

    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    mutating func add(_ time: Int64, _ code: Int16, _ value: Double) {
        let minute = Minute.beginning(of: time)
        if let place = place(minute, code) {
            parts[place].add(time, value)
            return
        }
        parts.append(
            Part(
                minute: minute, code: code, readings: 1, low: value, high: value, total: value,
                lastTime: time, last: value))
        if parts.count > Self.lookedThroughMax { note() }
    }

    /// Calls `body` with what makes a row of `sluice.vital_rollup`: parts of one minute, at most
    /// ``partsOfRowMax`` of them.
    mutating func forEachRow(_ body: (_ minute: Int64, _ parts: ArraySlice<Part>) -> Void) {
        if zip(parts, parts.dropFirst()).contains(where: { $1.minute < $0.minute }) {
            parts.sort { ($0.minute, $0.code) < ($1.minute, $1.code) }
            // Places are not what they were.
            places.removeAll(keepingCapacity: true)
        }
        var start = 0
        while start < parts.count {
            let minute = parts[start].minute
            var end = start + 1
            while end < parts.count, end - start < Self.partsOfRowMax, parts[end].minute == minute {
                end += 1
            }
            body(minute, parts[start..<end])
            start = end
        }
    }

    /// A row has to stay below 2 KB, where PostgreSQL would begin to compress it and to move parts
    /// of it elsewhere.
    static let partsOfRowMax = 32

    private func place(_ minute: Int64, _ code: Int16) -> Int? {
        let start = max(0, parts.count - Self.lookedThroughMax)
        var place = parts.count
        while place > start {
            place -= 1
            if parts[place].minute == minute, parts[place].code == code { return place }
        }
        return start > 0 ? places[Name(minute: minute, code: code)] : nil
    }

    /// The part that is not among the last ones any more must be found by its name from now on.
    private mutating func note() {
        let place = parts.count - 1 - Self.lookedThroughMax
        places[Name(minute: parts[place].minute, code: parts[place].code)] = place
    }
}

/// Minutes of UTC.
enum Minute {
    static let microseconds: Int64 = 60_000_000

    /// Of a time before 2000 too.
    static func beginning(of time: Int64) -> Int64 {
        let rest = time % microseconds
        return time - rest - (rest < 0 ? microseconds : 0)
    }
}
