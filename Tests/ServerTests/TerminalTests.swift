import Foundation
import Testing

/// Texts of strangers in the output of commands.
@Suite(.timeLimit(.minutes(10)))
struct TerminalTests {
    @Test func `nothing that a device sends acts on the operator's terminal`() async throws {
        let environment = try Fixtures.environment("terminal").environment
        let server = try await RunningServer.start(environment: environment)
        let id = #"w\u001b]0;owned\u0007\u001b[2J\r\u009b1m\u202e"#
        let answer = try await server.post(
            #"{"metadata":{"device_id":"\#(id)","model_name":"m\#(id)","user_id":"u\#(id)"},"#
                + #""data":[{"t":"\#(Fixtures.yesterday)T00:00:00Z","type":"vital","code":1,"val":1},"#
                + #"{"t":"x\u001b[2J","type":"\#(id)"}]}"#)
        #expect(try answer.number("stored") == 1 && answer.number("quarantined") == 1)
        #expect(try await server.end() == 0)

        let device = "w\u{1B}]0;owned\u{7}\u{1B}[2J\r\u{9B}1m\u{202E}"
        for command in [
            ["device", "show", device], ["device", "show", "no\(device)"], ["quarantine", "list"],
            ["quarantine", "list", "--device", device], ["keys", "create", device],
            ["keys", "revoke", device], ["keys", "revoke", device], [device],
            ["keys", device], ["quarantine", "show", device], ["--\(device)"],
            ["forget", "--yes", "a", device],
        ] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, command, environment: environment)
            let text = (outcome.out + outcome.err).unicodeScalars
            let bad = text.filter {
                $0.value < 0x20 && $0 != "\n" || "\u{9B}\u{202E}".unicodeScalars.contains($0)
            }
            #expect(bad.isEmpty, "\(command): \(outcome)")
            #expect(text.contains("w") && text.contains("?"), "\(command): \(outcome)")
        }
        // As JSON, the same texts with escapes.
        for command in [
            ["device", "show", device, "--json"], ["quarantine", "list", "--json"],
            ["export", "device", "--format", "ndjson"],
        ] {
            let outcome = try await Subprocess.run(
                Subprocess.sluice, command, environment: environment)
            let bad = outcome.out.unicodeScalars.filter {
                ($0.value < 0x20 || $0.value > 0x7E) && $0 != "\n"
            }
            #expect(bad.isEmpty, "\(command): \(outcome)")
            #expect(
                outcome.out.contains(#"\u202e"#) && outcome.out.contains(#"\u009b"#), "\(outcome)")
            let json = try JSONSerialization.jsonObject(with: Data(outcome.out.utf8))
            #expect(Self.texts(in: json).contains(device.lowercased()), "\(command): \(json)")
        }
    }

    private static func texts(in value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(texts)
        case let object as [String: Any]: object.values.flatMap(texts)
        default: []
        }
    }
}
