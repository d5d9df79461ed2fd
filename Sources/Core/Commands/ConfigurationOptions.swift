import ArgumentParser
import Foundation
package import Server

/// The sources of a command's configuration.
package struct ConfigurationOptions: ParsableArguments {
    @Option(help: "File with KEY=value lines; `sluice config` prints one. Also SLUICE_CONFIG.")
    var config: String?

    @Option(help: "Directory of the private cluster, the spool and the key. Also SLUICE_DATA_DIR.")
    var dataDir: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp("Any other setting; may be repeated.", valueName: "KEY=value"))
    var settings: [String] = []

    /// Made by the parser.
    package init() {}

    package func validate() throws {
        for setting in settings where !setting.contains("=") {
            // No more of it, because it may have a password.
            let key = setting.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            throw ValidationError("--set takes KEY=value, such as \(key)=…")
        }
    }

    /// Reads all sources.
    package func read() throws(StartFailure) -> ServiceConfiguration {
        try sources().configuration()
    }

    /// - Parameter own: settings for which the command has its own options.
    func sources(
        _ own: [(key: String, value: String?)] = []
    ) throws(StartFailure) -> ConfigurationSources {
        var pairs: [(key: String, value: String)] = []
        for (key, value) in own + [("SLUICE_DATA_DIR", dataDir)] {
            if let value { pairs.append((key, value)) }
        }
        for setting in settings {
            let key = setting.prefix { $0 != "=" }
            pairs.append((String(key), String(setting.dropFirst(key.count + 1))))
        }
        let environment = ProcessInfo.processInfo.environment
        var sources = ConfigurationSources(
            apps: BuiltIn.apps, commandLine: pairs, environment: environment)
        let named = config ?? environment["SLUICE_CONFIG"] ?? ""
        if !named.isEmpty {
            guard let text = try? String(contentsOfFile: named, encoding: .utf8) else {
                throw .configurationFileUnreadable(path: named)
            }
            sources.file = (named, text)
        }
        return sources
    }
}
