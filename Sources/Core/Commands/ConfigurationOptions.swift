import ArgumentParser
import Foundation
import Glibc
package import Server

/// The sources of a command's configuration. On an installed machine the service's settings are
/// among them; see ``ServiceFile``.
package struct ConfigurationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "File with KEY=value lines; `sluice config` prints one. Also SLUICE_CONFIG. Installed: "
                + "\(ServiceFile.path), unless a data directory is named."))
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

    /// Reads all sources. If they are the service's and this is root, the process becomes the
    /// service's user.
    package func read() throws(StartFailure) -> ServiceConfiguration {
        let sources = try sources()
        let configuration = try sources.configuration()
        becomeServiceUser(configuration, sources)
        return configuration
    }

    /// As ``read()``, for a command that reads files and directories that its caller named.
    ///
    /// - Throws: `StartFailure`; `ExitError` if the caller may read a file, but not the service's
    ///   user.
    func read(files: [String]) throws -> ServiceConfiguration {
        let caller = geteuid()
        // The service's user may not be able to enter the directory that a path begins in.
        let readable = files.filter { access($0, R_OK) == 0 }
            .map { URL(fileURLWithPath: $0).path }
        let configuration = try read()
        guard geteuid() != caller else { return configuration }
        if let path = readable.first(where: { access($0, R_OK) != 0 }) {
            let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
            throw ExitError(
                "\(path): the service's user \(user ?? "\(geteuid())") may not read it; put it where "
                    + "that user may, or pass a file as - through a pipe", code: EX_NOPERM)
        }
        return configuration
    }

    /// See ``read()``. A file that the command line or the environment names changes no user.
    func becomeServiceUser(_ configuration: ServiceConfiguration, _ sources: ConfigurationSources) {
        guard sources.file?.path == ServiceFile.path, named.isEmpty else { return }
        ExitError.unlessDone { try ServiceUser.become(ownerOf: configuration.dataDirectory) }
    }

    /// The options with which another command finds the same installation.
    ///
    /// - Returns: nil if there are none: only the environment or the command line names the database.
    func repeated(
        _ configuration: ServiceConfiguration, _ sources: ConfigurationSources
    ) -> String? {
        if configuration.databaseURL != nil {
            let all = try? sources.inForce()
            let setting = all?.first { $0.setting.key == "SLUICE_DATABASE_URL" }
            guard case .file? = setting?.origin else { return nil }
        }
        var options = ""
        if !named.isEmpty { options += " --config '\(URL(fileURLWithPath: named).path)'" }
        if sources.namesDirectory {
            options += " --data-dir '\(DataDirectory(configuration.dataDirectory).path)'"
        }
        return options
    }

    /// The file of `--config` or `SLUICE_CONFIG`.
    private var named: String {
        config ?? ProcessInfo.processInfo.environment["SLUICE_CONFIG"] ?? ""
    }

    /// - Parameter own: settings for which the command has its own options.
    package func sources(
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
        let path =
            named.isEmpty ? ServiceFile.current(isAnotherNamed: sources.namesDirectory) : named
        if let path {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw .configurationFileUnreadable(path: path)
            }
            sources.file = (path, text)
        }
        return sources
    }
}

extension ConfigurationSources {
    /// Whether the command line or the environment names a data directory.
    fileprivate var namesDirectory: Bool {
        !(environment["SLUICE_DATA_DIR"] ?? "").isEmpty
            || commandLine.contains { $0.key == "SLUICE_DATA_DIR" }
    }
}
