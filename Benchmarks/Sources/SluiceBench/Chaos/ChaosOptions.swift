import ArgumentParser
import Foundation

/// The server under test and the load on it.
struct ChaosOptions: ParsableArguments {
    @Option(help: "The server binary, built for release.")
    var sluice = ".build/release/sluice"

    @Option(help: "A server setting as KEY=value; can be repeated.")
    var setting: [String] = []

    @Option(
        help: """
            Requests per second in total; faults under full load ignore it. Default: 400, in a soak \
            half of what the server takes.
            """)
    var rate: Double?

    @Option(help: "Number of connections to each Sluice.")
    var connections = 32

    @Option(help: "Readings per batch.")
    var batch = 50

    @Option(help: "Number of devices.")
    var devices = 200

    func validate() throws {
        guard (rate ?? 1) > 0, (1...10_000).contains(connections), (1...10_000).contains(batch),
            (1...1_000_000).contains(devices)
        else {
            throw ValidationError(
                "--rate must be positive, --connections and --batch 1 to 10000, --devices 1 to "
                    + "1000000.")
        }
        for text in setting where !text.contains("=") {
            throw ValidationError("--setting must be KEY=value, not '\(text)'.")
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
                "No server at '\(path)': build it with `swift build -c release`, or set --sluice.")
        }
        return path
    }
}
