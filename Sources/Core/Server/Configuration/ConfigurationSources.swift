import Foundation

/// The sources of values, strongest first: command line, environment, the service manager's
/// credentials, file. A setting that none of them gives keeps its default.
///
/// A blank value counts as missing, so that `SLUICE_PORT=` in a compose file means the default.
///
/// A secret may also be in a file: `KEY_FILE` names it, and systemd's `LoadCredential=KEY:PATH`
/// puts it into `$CREDENTIALS_DIRECTORY`. Line breaks at its end are no part of it.
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
        /// `$CREDENTIALS_DIRECTORY`.
        case credentials
        case file(path: String)
        case byDefault
    }

    /// A value that a source gives.
    private struct Found {
        /// The value, from the file of a secret too.
        var text: String
        /// The name that it was given with.
        var name: String
        var origin: Origin
        /// Of the file.
        var line: Int?

        /// The name, and in a file its line.
        var place: String {
            guard case .file(let path) = origin, let line else { return name }
            return "\(path):\(line): \(name)"
        }
    }

    /// Reads every setting.
    ///
    /// - Throws: the problems of all sources, including unknown keys of command line and file.
    public func read() throws(ConfigurationProblems) -> ServiceConfiguration {
        var problems: [ConfigurationProblem] = []
        let layers = layers(&problems)
        var configuration = ServiceConfiguration(apps: apps)
        for setting in settings.all {
            guard let found = find(setting, layers, &problems) else { continue }
            configuration.given[setting.key] = Secret(found.text)
            if !setting.apply(found.text, &configuration) {
                problems.append(
                    ConfigurationProblem(
                        key: found.place, rule: "must be \(setting.rule)",
                        found: setting.isSecret
                            ? nil : Self.shown(found.text, isRefused: true)))
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
        let configuration = try read()
        var problems: [ConfigurationProblem] = []
        let layers = layers(&problems)
        return settings.all.map { setting in
            guard let found = find(setting, layers, &problems) else {
                return (setting, setting.derived(configuration), .byDefault)
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

    /// `lines`: of the keys of a file, from 1.
    private typealias Layer = (origin: Origin, values: [String: String], lines: [String: Int])

    /// All names that a source may give.
    private var known: Set<String> { Set(settings.all.flatMap(\.names)) }

    /// Strongest first.
    private func layers(_ problems: inout [ConfigurationProblem]) -> [Layer] {
        let known = known
        for pair in commandLine where !known.contains(pair.key) {
            problems.append(ConfigurationProblem(key: pair.key, rule: unknown(pair.key)))
        }
        let (values, lines) = valuesOfFile(known, &problems)
        return [
            (.commandLine, Dictionary(commandLine.map { ($0.key, $0.value) }) { $1 }, [:]),
            (.environment, environment, [:]),
            (.credentials, credentials, [:]),
            (.file(path: file?.path ?? ""), values, lines),
        ]
    }

    /// Files of `$CREDENTIALS_DIRECTORY` whose names are those of secrets, as if `KEY_FILE` named
    /// them.
    private var credentials: [String: String] {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
            return [:]
        }
        var values: [String: String] = [:]
        for setting in settings.all where setting.isSecret {
            for name in [setting.key, setting.formerKey].compactMap(\.self) {
                let path = "\(directory)/\(name)"
                if FileManager.default.fileExists(atPath: path) { values[name + "_FILE"] = path }
            }
        }
        return values
    }

    /// The value of the strongest source that has one.
    private func find(
        _ setting: Setting, _ layers: [Layer], _ problems: inout [ConfigurationProblem]
    ) -> Found? {
        for (origin, values, lines) in layers {
            let given = setting.names.compactMap { name in
                values[name].flatMap { text in
                    text.allSatisfy(\.isWhitespace)
                        ? nil
                        : Found(text: text, name: name, origin: origin, line: lines[name])
                }
            }
            guard var found = given.first else { continue }
            // A former name may be another program's.
            let present = given.filter { [setting.key, setting.fileKey].contains($0.name) }
            if present.count > 1 {
                problems.append(
                    ConfigurationProblem(
                        key: present[1].place, rule: "is given beside \(found.name)"))
            }
            if found.name == setting.formerKey { found.text = setting.modern(found.text) }
            if [setting.fileKey, setting.formerFileKey].contains(found.name) {
                guard let text = Self.secret(inFile: found.text) else {
                    problems.append(
                        ConfigurationProblem(
                            key: found.place,
                            rule: "must be a readable file of UTF-8 text of at most "
                                + Quantity.text(bytes: Self.secretBytesMax),
                            found: found.text))
                    return nil
                }
                found.text = text
            }
            return found
        }
        return nil
    }

    private static let secretBytesMax = 64 << 10

    /// - Returns: the text without line breaks at its end; nil if it can't be read or is too long.
    private static func secret(inFile path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: secretBytesMax + 1), data.count <= secretBytesMax,
            let text = String(data: data, encoding: .utf8)
        else { return nil }
        return String(text.reversed().drop(while: \.isNewline).reversed())
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
        let known = known.union(Settings.otherEnvironmentKeys)
        return environment.keys.filter { $0.hasPrefix("SLUICE_") && !known.contains($0) }
            .sorted().map { ($0, unknown($0)) }
    }

    /// Settings that are given with former names, in any source. They cause only a warning.
    ///
    /// - Returns: each name with what it is called now.
    public var formerKeys: [(key: String, fault: String)] {
        var problems: [ConfigurationProblem] = []
        let layers = layers(&problems)
        return settings.all.compactMap { setting in
            guard let name = find(setting, layers, &problems)?.name else { return nil }
            if name == setting.formerKey {
                let unit = setting.formerUnit
                let note = unit.isEmpty ? "" : ", and takes a unit: 90\(unit)"
                return (name, "is now called \(setting.key)\(note)")
            }
            return name == setting.formerFileKey
                ? (name, "is now called \(setting.fileKey ?? "")") : nil
        }
    }

    /// Lines of `KEY=value`; blank lines and lines that begin with `#` are skipped. Quotes around a
    /// whole value are no part of it, as in systemd's `EnvironmentFile`.
    private func valuesOfFile(
        _ known: Set<String>, _ problems: inout [ConfigurationProblem]
    ) -> (values: [String: String], lines: [String: Int]) {
        guard let file else { return ([:], [:]) }
        var values: [String: String] = [:]
        var lines: [String: Int] = [:]
        // CR LF is one character, and a line break like LF.
        let all = file.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in all.enumerated() {
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
            } else if let value = Self.unquoted(Self.trimmed(line[line.index(after: equals)...])) {
                values[key] = value
                lines[key] = index + 1
            } else {
                // The value may be a secret.
                problems.append(
                    ConfigurationProblem(
                        key: "\(place): \(key)", rule: "must end with the quote that it begins with"
                    ))
            }
        }
        return (values, lines)
    }

    /// Nil if the text begins with a quote, and its end is not the next one.
    private static func unquoted(_ text: Substring) -> String? {
        guard let quote = text.first, quote == "\"" || quote == "'" else { return String(text) }
        let rest = text.dropFirst()
        guard let end = rest.firstIndex(of: quote), end == rest.indices.last else { return nil }
        return String(rest.dropLast())
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
