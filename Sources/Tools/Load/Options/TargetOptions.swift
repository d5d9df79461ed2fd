import ArgumentParser
import Foundation

/// The servers to load, and the credentials.
struct TargetOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Servers, such as https://host:8443; the default path is that of --format.",
            discussion: "Connections are shared out evenly. Default: http://127.0.0.1:8080",
            valueName: "url"))
    var urls: [String] = []

    @Option(
        help: ArgumentHelp(
            "API key. It is safer in SLUICE_INGEST_API_KEY, whose first key is used.",
            discussion: """
                Without either, and only for servers on this machine, it is that of the settings \
                which other commands read: the service's, those of --config or --data-dir, or \
                ./var/ingest.key.
                """))
    var key: String?

    @Option(help: "PEM file of certificate authorities to trust, instead of the system's.")
    var caFile: String?

    @Flag(help: "Accept any certificate.")
    var insecure = false

    @Flag(help: "Allow servers on other machines; they must be yours.")
    var iOwnThisTarget = false

    private static let countMax = 64

    func validate() throws {
        guard urls.count <= Self.countMax else {
            throw ValidationError("There can be at most \(Self.countMax) servers.")
        }
        guard caFile == nil || !insecure else {
            throw ValidationError("--ca-file and --insecure can't be used together.")
        }
    }

    /// - Parameter path: of URLs without one.
    func resolve(path: String = "/ingest") throws -> [Target] {
        try (urls.isEmpty ? ["http://127.0.0.1:8080"] : urls).map { url in
            let target: Target
            do throws(Target.Fault) {
                target = try Target(url: url, path: path)
            } catch {
                switch error {
                case .notHTTP(let url):
                    throw ValidationError("'\(url)' must be http://HOST:PORT/PATH or https://….")
                case .noAddress(let host): throw ValidationError("'\(host)' has no address.")
                }
            }
            guard target.isLoopback || iOwnThisTarget else {
                throw ValidationError(
                    "\(target.host) is another machine. If it is yours, add --i-own-this-target.")
            }
            return target
        }
    }

    /// Nil if no target is `https`.
    func trust(for targets: [Target]) throws -> SecureContext? {
        guard targets.contains(where: \.isSecure) else { return nil }
        do {
            return try SecureContext(insecure ? .anybody : caFile.map { .file($0) } ?? .system)
        } catch .fileUnusable(let path) {
            throw ValidationError("\(path): can't be read, or has no PEM certificate.")
        }
    }

    /// - Parameters:
    ///   - contentType: of the bodies.
    ///   - localKey: the key of the server of this machine.
    func headLines(
        for targets: [Target], contentType: String, localKey: () -> String?
    ) throws -> String {
        let lines = "Content-Type: \(contentType)\r\nUser-Agent: sluice-load\r\n"
        let isLocal = targets.allSatisfy(\.isLoopback)
        guard let key = self.key ?? keyOfEnvironment ?? (isLocal ? localKey() : nil) else {
            return lines
        }
        guard key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError("The key has characters that are not allowed in an API key.")
        }
        return lines + "X-API-Key: \(key)\r\n"
    }

    private var keyOfEnvironment: String? {
        let environment = ProcessInfo.processInfo.environment
        return (environment["SLUICE_INGEST_API_KEY"] ?? environment["INGEST_API_KEY"])?
            .split(separator: ",").first?.trimmingCharacters(in: .whitespaces)
    }
}
