import Ingest
import Readings
import Scanner
import ScannerSupport
import SpoolLogSupport

/// The readings to send, and batches cut from them: overlapping, out of order, repeated, late, of
/// several devices and users, in all forms of a body, and some of them faulty.
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
        if sharesKey(device) { return ClashingIDs.all[device] }
        return "Device-\(device)\(device == 2 ? Self.filling : "")"
    }

    /// Makes an id as long as one may be.
    private static let filling = String(repeating: "é", count: limits.deviceIDCharactersMax - 8)

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

    /// - Parameter cursor: the client's place in its device's readings; advances.
    func batch(device: Int, cursor: inout Int, number: Int, _ dice: inout Dice) -> Body {
        let count = 1 + dice.below(scenario.readingsMax)
        // Repeats the end of the last batch, as a client does after a lost answer.
        let first = max(0, cursor - dice.below(4))
        var elements = (first..<first + count).map { Element(device: device, index: $0) }
        cursor = first + count
        if dice.below(4) == 0 {
            elements.append(Element(device: device, index: dice.below(first + 1)))
        }
        if dice.below(5) == 0 { elements.append(elements[dice.below(elements.count)]) }
        // Of a watch, which sends through this device.
        if dice.below(4) == 0 {
            let other = dice.below(scenario.devices)
            elements.append(Element(device: other, index: dice.below(Self.readingsPerDevice)))
        }
        if dice.below(3) == 0 { elements.shuffle(using: &dice) }
        switch dice.below(8) {
        case 0: return lines(elements, &dice)
        case 1: return array(elements, &dice)
        default: return envelope(elements, of: device, number: number, &dice)
        }
    }

    /// A reading in a batch.
    private struct Element {
        let device: Int
        let index: Int
    }

    private func open(_ element: Element) -> String {
        readings[element.device][element.index % Self.readingsPerDevice]
    }

    /// A device's id in the way that this batch spells it.
    private func id(_ device: Int, _ dice: inout Dice) -> String {
        let id = deviceID(device)
        return "\"device_id\":\"\(dice.below(6) == 0 ? id.uppercased() : id)\""
    }

    /// One of a device's users, as a member that follows others; empty if that need not be named.
    private func owner(_ number: Int, of device: Int) -> String {
        let user = user(number, ofDevice: device)
        return user == deviceID(device).lowercased() ? "" : ",\"user_id\":\"\(user)\""
    }

    /// The readings of its device need not name it.
    private func envelope(
        _ elements: [Element], of device: Int, number: Int, _ dice: inout Dice
    ) -> Body {
        let attributes = dice.below(3) == 0 ? "" : ",\"version\":\"\(number)\",\"model_name\":\"m\""
        let owner = owner(dice.below(scenario.usersMax), of: device)
        let metadata = "{\(id(device, &dice))\(attributes)\(owner)}"
        let data = elements.map { element in
            let isNamed = element.device != device || dice.below(10) == 0
            return open(element) + (isNamed ? ",\(id(element.device, &dice))}" : "}")
        }
        let text = "{\"metadata\":\(metadata),\"data\":[\(data.joined(separator: ","))]}"
        return Body(bytes: Array(text.utf8), readings: data.count)
    }

    /// Each reading names its device. Most are of one user.
    private func named(_ elements: [Element], _ dice: inout Dice) -> [String] {
        let usual = dice.below(scenario.usersMax)
        return elements.map { element in
            let number = dice.below(4) == 0 ? dice.below(scenario.usersMax) : usual
            let owner = owner(number, of: element.device)
            return "\(open(element)),\(id(element.device, &dice))\(owner)}"
        }
    }

    /// A bare array.
    private func array(_ elements: [Element], _ dice: inout Dice) -> Body {
        let data = named(elements, &dice)
        return Body(bytes: Array("[\(data.joined(separator: ","))]".utf8), readings: data.count)
    }

    /// NDJSON, with a line now and then that is no reading or names no device.
    private func lines(_ elements: [Element], _ dice: inout Dice) -> Body {
        var lines = named(elements, &dice)
        if dice.below(4) == 0 {
            let odd = dice.pick("{\"t\":", "7", "{} {}", open(elements[0]) + "}")
            lines.insert(odd, at: dice.below(lines.count + 1))
        }
        let end = dice.pick("\n", "\r\n", "\n \n")
        let text = lines.joined(separator: end) + dice.pick("", end)
        return Body(bytes: Array(text.utf8), readings: lines.count, shape: .lines)
    }

    /// A new version of one of the owner's few notes.
    func note(owner: Int, kinds: [UnitKind], _ dice: inout Dice) -> Note {
        notes += 1
        return Note(
            kindName: kinds[dice.below(kinds.count)].name, owner: owner, id: dice.below(3),
            number: notes, isBad: dice.happens(perThousand: scenario.badNoteRate))
    }
}
