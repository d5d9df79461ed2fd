import Foundation

/// The sources of values, strongest first: command line, environment, file. A setting that none of
/// them gives keeps its default.
///
/// A blank value counts as missing, so that `SLUICE_PORT=` in a compose file means the default.
public struct ConfigurationSources: Sendable {
    /// The apps that are built into the product.
    private let apps: [any App]
    private let settings: Settings
    /// `KEY=VALUE` pairs of the command line, in order; the last pair of a key wins.
    public var commandLine: [(key: String, value: String)]
    /// The process's environment.
    public var environment: [String: String]
    /// Path and text of the configuration file; nil if none was named.
    public var file: (path: String, text: String)?

    /// - Parameters:
    ///   - apps: those that are built into the product.
    ///   - commandLine: in order; the last pair of a key wins.
    ///   - environment: of the process.
    ///   - file: already read; the caller reports a file that can't be read.
    public init(
        apps: [any App], commandLine: [(key: String, value: String)] = [],
        environment: [String: String] = [:],
        file: (path: String, text: String)? = nil
    ) {
        self.apps = apps
        settings = Settings(apps: apps)
        self.commandLine = commandLine
        self.environment = environment
        self.file = file
    }

    /// The source of a value in force.
    public enum Origin: Sendable, Equatable {
        case commandLine, environment
        case file(path: String)
        case byDefault
    }

    /// Reads every setting.
    ///
    /// - Throws: the problems of all sources, including unknown keys of command line and file.
    public func read() throws(ConfigurationProblems) -> ServiceConfiguration {
        var problems: [ConfigurationProblem] = []
        let layers = layers(&problems)
        var configuration = ServiceConfiguration(apps: apps)
        for setting in settings.all {
            guard let text = Self.find(setting.key, layers)?.text else { continue }
            configuration.given[setting.key] = Secret(text)
            if !setting.apply(text, &configuration) {
                problems.append(
                    ConfigurationProblem(
                        key: setting.key, rule: "must be \(setting.rule)",
                        found: setting.isSecret ? nil : Self.shown(text, isRefused: true)))
            }
        }
        problems += Settings.contradictions(of: configuration)
        guard problems.isEmpty else { throw ConfigurationProblems(problems: problems) }
        return configuration
    }

    /// Every setting with the text in force, hidden if it is a secret, and its source.
    ///
    /// - Throws: as ``read()``.
    public func inForce() throws(ConfigurationProblems) -> [(
        setting: Setting, text: String, origin: Origin
    )] {
        _ = try read()
        var problems: [ConfigurationProblem] = []
        let layers = layers(&problems)
        return settings.all.map { setting in
            guard let found = Self.find(setting.key, layers) else {
                return (setting, setting.defaultText, .byDefault)
            }
            let text =
                setting.isSecret
                ? "\(Secret(found.text))" : Self.shown(found.text, isRefused: false)
            return (setting, text, found.origin)
        }
    }

    /// A value as it may be shown: user and password of a URL are hidden. A refused one may be
    /// malformed in any way, so its query and fragment are hidden too.
    private static func shown(_ text: String, isRefused: Bool) -> String {
        let hidden = Secret("")
        var (start, rest) = ("", text[...])
        if let host = text.lastIndex(of: "@") {
            let scheme = text[..<host].range(of: "//")?.upperBound ?? text.startIndex
            (start, rest) = ("\(text[..<scheme])\(hidden)", text[host...])
        }
        guard isRefused, let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) else {
            return start + rest
        }
        return "\(start)\(rest[...query])\(hidden)"
    }

    private typealias Layer = (origin: Origin, values: [String: String])

    /// Strongest first.
    private func layers(_ problems: inout [ConfigurationProblem]) -> [Layer] {
        let known = Set(settings.all.map(\.key))
        for pair in commandLine where !known.contains(pair.key) {
            problems.append(ConfigurationProblem(key: pair.key, rule: unknown(pair.key)))
        }
        return [
            (.commandLine, Dictionary(commandLine.map { ($0.key, $0.value) }) { $1 }),
            (.environment, environment),
            (.file(path: file?.path ?? ""), valuesOfFile(known, &problems)),
        ]
    }

    private static func find(_ key: String, _ layers: [Layer]) -> (text: String, origin: Origin)? {
        for layer in layers {
            guard let text = layer.values[key], !text.allSatisfy(\.isWhitespace) else { continue }
            return (text, layer.origin)
        }
        return nil
    }

    private func unknown(_ key: String) -> String {
        let nearest = Suggestion.nearest(to: key, among: settings.all.map(\.key))
        return "there is no such setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    /// ``read()``, with problems as a `StartFailure`.
    public func configuration() throws(StartFailure) -> ServiceConfiguration {
        do throws(ConfigurationProblems) {
            return try read()
        } catch {
            throw .configuration(error)
        }
    }

    /// Environment names that begin with `SLUICE_` but are no settings: typing errors or another
    /// program's. They cause only a warning.
    ///
    /// - Returns: each name with its fault.
    public var unknownEnvironmentKeys: [(key: String, fault: String)] {
        let known = Set(settings.all.map(\.key)).union(Settings.otherEnvironmentKeys)
        return environment.keys.filter { $0.hasPrefix("SLUICE_") && !known.contains($0) }
            .sorted().map { ($0, unknown($0)) }
    }

    /// Lines of `KEY=value`; blank lines and lines that begin with `#` are skipped.
    private func valuesOfFile(
        _ known: Set<String>, _ problems: inout [ConfigurationProblem]
    ) -> [String: String] {
        guard let file else { return [:] }
        var values: [String: String] = [:]
        for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = Self.trimmed(line)
            if line.isEmpty || line.hasPrefix("#") { continue }
            let place = "\(file.path):\(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                problems.append(ConfigurationProblem(key: place, rule: "must be KEY=value"))
                continue
            }
            let key = String(Self.trimmed(line[..<equals]))
            if !known.contains(key) {
                problems.append(
                    ConfigurationProblem(key: place, rule: unknown(key), found: key))
            } else if values[key] != nil {
                problems.append(
                    ConfigurationProblem(key: place, rule: "is in the file twice", found: key))
            } else {
                values[key] = String(Self.trimmed(line[line.index(after: equals)...]))
            }
        }
        return values
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
