import Configuration

/// Where values come from, strongest first: command line, environment, file. What none of them
/// gives keeps its default.
///
/// A blank value counts as not given, so that `SLUICE_PORT=` in a compose file means the default.
public struct ConfigurationSources: Sendable {
    /// `KEY=VALUE` pairs of the command line, in their order; the last of a key wins.
    public var commandLine: [(key: String, value: String)]
    /// The process's environment.
    public var environment: [String: String]
    /// Path and text of the configuration file; nil when none was named.
    public var file: (path: String, text: String)?

    /// - Parameter file: already read; a file that can't be is the caller's failure to tell.
    public init(
        commandLine: [(key: String, value: String)] = [], environment: [String: String] = [:],
        file: (path: String, text: String)? = nil
    ) {
        self.commandLine = commandLine
        self.environment = environment
        self.file = file
    }

    /// Reads every setting.
    ///
    /// - Throws: every problem of every source at once, unknown keys of command line and file
    ///   among them.
    public func read() throws(ConfigurationProblems) -> ServiceConfiguration {
        var problems: [ConfigurationProblem] = []
        let known = Set(Settings.all.map(\.key))
        for pair in commandLine where !known.contains(pair.key) {
            problems.append(
                ConfigurationProblem(key: pair.key, rule: "there is no such setting"))
        }
        let fileValues = valuesOfFile(known, &problems)
        let reader = ConfigReader(providers: [
            Self.provider(Dictionary(commandLine.map { ($0.key, $0.value) }) { $1 }),
            Self.provider(environment),
            Self.provider(fileValues),
        ])
        var configuration = ServiceConfiguration()
        for setting in Settings.all {
            let key = ConfigKey(setting.key.lowercased().split(separator: "_").map(String.init))
            guard let text = reader.string(forKey: key, isSecret: setting.isSecret) else {
                continue
            }
            if !setting.apply(text, &configuration) {
                problems.append(
                    ConfigurationProblem(
                        key: setting.key, rule: "must be \(setting.rule)",
                        found: setting.isSecret ? nil : text))
            }
        }
        problems += Settings.contradictions(of: configuration)
        guard problems.isEmpty else { throw ConfigurationProblems(problems: problems) }
        return configuration
    }

    /// ``read()``, as a step of the start.
    public func configuration() throws(StartFailure) -> ServiceConfiguration {
        do throws(ConfigurationProblems) {
            return try read()
        } catch {
            throw .configuration(error)
        }
    }

    /// Names in the environment that look like ours and are none: typing errors, or another
    /// program's. Worth a warning, no more.
    public var unknownEnvironmentKeys: [String] {
        let known = Set(Settings.all.map(\.key)).union(Settings.otherEnvironmentKeys)
        return environment.keys.filter { $0.hasPrefix("SLUICE_") && !known.contains($0) }.sorted()
    }

    private static func provider(_ values: [String: String]) -> EnvironmentVariablesProvider {
        EnvironmentVariablesProvider(
            environmentVariables: values.filter { !$0.value.allSatisfy(\.isWhitespace) },
            secretsSpecifier: .all)
    }

    /// `KEY=value` a line; blank lines and lines that begin with `#` are skipped.
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
                    ConfigurationProblem(key: place, rule: "there is no such setting", found: key))
            } else if values[key] != nil {
                problems.append(
                    ConfigurationProblem(key: place, rule: "stands in the file twice", found: key))
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
