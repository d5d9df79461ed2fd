import Ingest
import Readings
import ScannerSupport
import SpoolLogSupport

/// The readings to send, and batches cut from them: overlapping, out of order, repeated, late, of
/// several devices, and some of them faulty.
final class Workload {
    private let scenario: Scenario
    /// JSON without the closing brace, by device, in time order.
    private var readings: [[String]] = []
    private static let readingsPerDevice = 60
    private var notes = 0
    /// 2026-02-10T15:00:00Z, the wall clock at the start.
    static let start = Timestamp(unixSeconds: 1_770_735_600)

    init(_ scenario: Scenario, _ dice: inout Dice) {
        self.scenario = scenario
        for device in 0..<scenario.devices {
            // Readings begin three days ago, so that some days have no partition yet, or they
            // spread over months.
            var seconds = (10 - 3 * scenario.daysMax) * 86_400 + dice.below(86_400)
            let step = scenario.daysMax > 1 ? 3 * scenario.daysMax * 86_400 / 60 : 3600
            readings.append(
                (0..<Self.readingsPerDevice).map { index in
                    seconds += [0, 1, 1, 30, step][dice.below(5)]
                    return Self.reading(device, index, seconds, scenario, &dice)
                })
        }
    }

    func deviceID(_ device: Int) -> String {
        sharesKey(device) ? ClashingIDs.all[device] : "Device-\(device)"
    }

    /// The users of a device's batches. The first is the device itself; batches don't name it.
    func user(_ number: Int, ofDevice device: Int) -> String {
        if sharesKey(device) { return ClashingIDs.users[device] }
        return number == 0 ? deviceID(device).lowercased() : "user-\(number)"
    }

    /// All users of all devices.
    private(set) lazy var users: Set<String> = Set(
        (0..<scenario.devices).flatMap { device in
            (0..<scenario.usersMax).map { user($0, ofDevice: device) }
        })

    private func sharesKey(_ device: Int) -> Bool { scenario.sharesKey && device < 2 }

    private static func reading(
        _ device: Int, _ index: Int, _ seconds: Int, _ scenario: Scenario, _ dice: inout Dice
    ) -> String {
        let time = "\"t\":\"\(text(seconds))\""
        if dice.happens(perThousand: scenario.invalidRate) {
            return "{\"type\":\"gps\",\(time),\"lon\":\(index)"
        }
        if dice.happens(perThousand: scenario.poisonRate) {
            return "{\"type\":\"vital\",\(time),\"code\":\(Reading.poisonCode),\"val\":\(index)"
        }
        switch dice.below(3) {
        case 0: return "{\"type\":\"gps\",\(time),\"lat\":\(device),\"lon\":\(index)"
        case 1:
            let code = dice.below(3)
            let metric =
                scenario.namesMetrics && code > 0
                ? "\"metric\":\"\(metrics[index % metrics.count])\"" : "\"code\":\(code)"
            return "{\"type\":\"vital\",\(time),\(metric),\"val\":\(index).5"
        default:
            let metadata = dice.below(2) == 0 ? ",\"metadata\":{\"n\":\(index)}" : ""
            return "{\"type\":\"event\",\(time),\"label\":\"l\(index)\"\(metadata)"
        }
    }

    private static let metrics = ["lung_capacity", "mood", "load.1m"]

    /// What the model's database answers.
    static func code(ofMetric name: String) -> Int16? {
        metrics.firstIndex(of: name).map { 1000 + Int16($0) }
    }

    /// - Parameter seconds: seconds since 2026-02-01T00:00:00Z.
    private static func text(_ seconds: Int) -> String {
        Timestamp(unixSeconds: 1_769_904_000 + Int64(seconds)).secondsText
    }

    /// - Parameter cursor: the client's place in its device's readings; advances.
    func batch(device: Int, cursor: inout Int, number: Int, _ dice: inout Dice) -> Body {
        let count = 1 + dice.below(scenario.readingsMax)
        // Repeats the end of the last batch, as a client does after a lost answer.
        let first = max(0, cursor - dice.below(4))
        var elements = (first..<first + count).map { element(device, $0) }
        cursor = first + count
        if dice.below(4) == 0 { elements.append(element(device, dice.below(first + 1))) }
        if dice.below(5) == 0 { elements.append(elements[dice.below(elements.count)]) }
        if dice.below(4) == 0 {
            let other = dice.below(scenario.devices)
            let id = ",\"device_id\":\"\(deviceID(other))\"}"
            elements.append(open(other, dice.below(Self.readingsPerDevice)) + id)
        }
        if dice.below(3) == 0 { elements.shuffle(using: &dice) }
        let attributes = dice.below(3) == 0 ? "" : ",\"version\":\"\(number)\",\"model_name\":\"m\""
        let user = user(scenario.usersMax > 1 ? dice.below(scenario.usersMax) : 0, ofDevice: device)
        let isNamed = user != deviceID(device).lowercased()
        let metadata =
            "{\"device_id\":\"\(deviceID(device))\"\(attributes)"
            + (isNamed ? ",\"user_id\":\"\(user)\"}" : "}")
        let text = "{\"metadata\":\(metadata),\"data\":[\(elements.joined(separator: ","))]}"
        return Body(bytes: Array(text.utf8), readings: elements.count)
    }

    /// A new version of one of the owner's few notes.
    func note(owner: Int, kinds: [UnitKind], _ dice: inout Dice) -> Note {
        notes += 1
        return Note(
            kindName: kinds[dice.below(kinds.count)].name, owner: owner, id: dice.below(3),
            number: notes, isBad: dice.happens(perThousand: scenario.badNoteRate))
    }

    private func open(_ device: Int, _ index: Int) -> String {
        readings[device][index % Self.readingsPerDevice]
    }

    private func element(_ device: Int, _ index: Int) -> String { open(device, index) + "}" }
}
