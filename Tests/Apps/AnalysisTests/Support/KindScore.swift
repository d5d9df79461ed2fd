import Foundation

@testable import Analysis

/// A capture of one kind of misreading, from `Corpora/Kinds`.
struct KindCapture: Decodable {
    let kind: String
    let text: String
    let contacts: [String]
    /// By contact: what the contact is to the speaker.
    let relationships: [String: String]
    /// Nil if the place does not matter.
    let places: [String]?
}

/// How well the analyser reads captures of the kinds that were misread.
struct KindScore: CustomStringConvertible {
    /// Captures by kind: all, and those read without an error.
    var kinds: [String: (all: Int, right: Int)] = [:]
    /// Contacts that were found and expected, found only, expected only.
    var (right, invented, missed) = (0, 0, 0)
    /// Relationships of the speaker's that are somebody else's or nobody's.
    var wrongRelationships = 0
    /// Relationships of the speaker's that were not found.
    var missedRelationships = 0
    /// Places where nothing happened.
    var wrongPlaces = 0
    /// One line for each capture with an error.
    var remarks: [String] = []

    var description: String {
        let lines = kinds.sorted { $0.key < $1.key }.map {
            "  \($0.key): \($0.value.right) of \($0.value.all) without an error"
        }
        return """
            contacts: \(right) right, \(invented) invented, \(missed) missed; relationships: \
            \(wrongRelationships) wrong, \(missedRelationships) missed; places: \(wrongPlaces) wrong
            """ + "\n" + lines.joined(separator: "\n")
    }

    init(on captures: [KindCapture]) {
        for capture in captures { add(capture) }
    }

    private mutating func add(_ capture: KindCapture) {
        let text = SpokenText(capture.text)
        let people = NameFinder(text).people()
        let place = PlaceFinder(text, people: people).place()
        // "Mr. Lewis" is Lewis.
        func isCalled(_ person: NameFinder.Person, _ name: String) -> Bool {
            person.name == name || person.name.hasSuffix(" " + name)
        }
        let found = capture.contacts.filter { name in people.contains { isCalled($0, name) } }
        let surplus = people.filter { person in
            !capture.contacts.contains { isCalled(person, $0) }
        }
        var faults = surplus.map { "invented \($0.name)" }
        right += found.count
        invented += surplus.count
        missed += capture.contacts.count - found.count
        if found.count < capture.contacts.count { faults.append("missed a contact") }
        for person in people where !surplus.contains(person) {
            let expected = capture.relationships.first { isCalled(person, $0.key) }?.value
            guard person.relationship != expected else { continue }
            faults.append("\(person.name): \(person.relationship ?? "-") for \(expected ?? "-")")
            if person.relationship != nil {
                wrongRelationships += 1
            } else {
                missedRelationships += 1
            }
        }
        if let places = capture.places, let place, !places.contains(place) {
            wrongPlaces += 1
            faults.append("place \(place)")
        }
        kinds[capture.kind, default: (0, 0)].all += 1
        if faults.isEmpty {
            kinds[capture.kind]?.right += 1
        } else {
            remarks.append("[\(capture.kind)] \(capture.text) \(faults)")
        }
    }
}
