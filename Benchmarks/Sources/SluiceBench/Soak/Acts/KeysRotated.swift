import Fleet
import Foundation

/// Rotation of the clients' key as an operator does it: a new key, which both Sluices accept soon;
/// the clients change to it; the former key is revoked, and both refuse it soon.
struct KeysRotated: Fault {
    let name = "rotate-key"
    let summary = "a new key for all clients; the former one is revoked"

    private static let prefix = "soak-"
    private static let secondsMax = 30.0
    /// Requests with the former key that are on their way are answered within this.
    private static let changeSeconds = 2.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let name = Self.prefix + String(random.next(), radix: 36)
        let former = clients.key
        // The other line, for people, is a sentence.
        let lines = try rig.nodes[0].command(["keys", "create", name])
            .split(whereSeparator: \.isNewline)
        let key = lines.first { !$0.contains(" ") }.map { String($0) } ?? ""
        awaitStatus(key, rig, "accepted") { $0 == 200 || $0 == 202 }
        clients.use(key: Clients.Key(name: name, text: key))
        rig.hold(seconds: Self.changeSeconds)
        // The first key is that of the configuration, which stays.
        guard let formerName = former.name else { return "" }
        try rig.nodes[0].command(["keys", "revoke", formerName])
        awaitStatus(former.text, rig, "refused") { $0 == 401 }
        return ""
    }

    private func awaitStatus(
        _ key: String, _ rig: Rig, _ word: String, _ isRight: (Int?) -> Bool
    ) {
        let end = Date(timeIntervalSinceNow: Self.secondsMax)
        let body = #"{"metadata":{"device_id":"rotation"},"data":[]}"#
        for node in rig.nodes where node.isMeantToRun {
            while true {
                let status = node.probe.ingest(body, key: key)
                if isRight(status) { break }
                guard Date() < end else {
                    return rig.complain(
                        "node \(node.number): a key is not \(word), "
                            + (status.map { "status \($0)" } ?? "no answer"))
                }
                rig.hold(seconds: 0.2)
            }
        }
    }
}
