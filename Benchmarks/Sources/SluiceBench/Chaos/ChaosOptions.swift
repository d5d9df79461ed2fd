import ArgumentParser
import Foundation

/// The server under test and the load on it.
struct ChaosOptions: ParsableArguments {
    @Option(help: "The Sluice under test.")
    var sluice = ".build/release/sluice"

    @Option(help: "A setting of Sluice, KEY=value; may be repeated.")
    var setting: [String] = []

    @Option(help: "Requests a second, over all Sluices; some faults want as many as are answered.")
    var rate = 400.0

    @Option(help: "Connections to each Sluice.")
    var connections = 32

    @Option(help: "Readings of a batch.")
    var batch = 50

    @Option(help: "Devices.")
    var devices = 200

    func validate() throws {
        guard rate > 0, (1...10_000).contains(connections), (1...10_000).contains(batch),
            (1...1_000_000).contains(devices)
        else {
            throw ValidationError(
                "--rate, --connections, --batch and --devices are too small or large.")
        }
        for text in setting where !text.contains("=") {
            throw ValidationError("--setting is KEY=value, not '\(text)'.")
        }
    }

    var settings: [String: String] {
        Dictionary(
            setting.compactMap { text in
                text.firstIndex(of: "=").map {
                    (String(text[..<$0]), String(text[text.index(after: $0)...]))
                }
            }, uniquingKeysWith: { $1 })
    }

    /// The program's absolute path.
    func binary() throws -> String {
        let path = URL(fileURLWithPath: sluice).standardizedFileURL.path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ValidationError(
                "No server at '\(path)': build it with `swift build -c release`, or say --sluice.")
        }
        return path
    }
}
