import Foundation

/// nginx in front of the Sluices of a rig. It uses the settings of `deploy/proxies/nginx.conf`
/// without TLS, so that the example itself is tested.
final class Balancer {
    let port: Int
    private let child: Child
    private let log: String

    private static let startSecondsMax = 10.0

    /// Why there is no nginx here; nil if there is.
    static var obstacle: String? {
        binary == nil ? "nginx is not installed: run deploy/install-dependencies bench" : nil
    }

    /// - Parameters:
    ///   - directory: a directory for its files, which it makes.
    ///   - ports: the ports of the Sluices.
    init(directory: String, ports: [Int]) throws {
        port = try NodeProbe.freePort()
        log = directory + "/nginx.out"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let file = directory + "/nginx.conf"
        try Self.configuration(directory: directory, port: port, ports: ports)
            .write(toFile: file, atomically: true, encoding: .utf8)
        child = try Child(
            [Self.binary ?? "nginx", "-e", log, "-p", directory, "-c", file],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"], output: log)
    }

    /// Waits until it forwards requests to a Sluice.
    func awaitAnswers() throws {
        let deadline = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while !NodeProbe(port: port).isHealthy {
            guard child.isRunning, Date() < deadline else {
                throw ChaosFailure.balancerDown(
                    log: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
            }
            usleep(20_000)
        }
    }

    func stop() {
        child.signal(SIGTERM)
        if child.awaitEnd(seconds: 5) == nil { child.kill9() }
    }

    // MARK: Its file

    private static let binary: String? = [
        "/usr/sbin/nginx", ProjectRoot.path + "/.build-tools/usr/sbin/nginx",
    ].first { FileManager.default.isExecutableFile(atPath: $0) }

    private static func configuration(
        directory: String, port: Int, ports: [Int]
    ) throws -> String {
        let file = ProjectRoot.path + "/deploy/proxies/nginx.conf"
        var text = try String(contentsOfFile: file, encoding: .utf8)
        func replace(_ old: String, _ new: String) throws {
            guard text.contains(old) else {
                throw ChaosFailure.exampleChanged(file: file, missing: old)
            }
            text = text.replacingOccurrences(of: old, with: new)
        }
        let example = "        server 127.0.0.1:8080 max_fails=3 fail_timeout=1s;\n"
        try replace(
            example,
            ports.map { example.replacingOccurrences(of: "8080", with: "\($0)") }.joined())
        // Clients here don't use TLS, and must not be redirected to it.
        try replace("listen 443 ssl http2 default_server", "listen 127.0.0.1:\(port)")
        try replace("        listen [::]:443 ssl http2 default_server;\n", "")
        try replace("listen 80 default_server", "listen unix:\(directory)/plain")
        try replace("        listen [::]:80 default_server;\n", "")
        try replace("/var/log/nginx/sluice.log", directory + "/access.log")
        text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .filter { !$0.contains("ssl_") }.joined(separator: "\n")
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "    \($0)_temp_path \(directory)/\($0);\n" }.joined()
        try replace("http {\n", "http {\n" + places)
        // If root starts nginx, its workers run as a user who may not enter our directory.
        let user = geteuid() == 0 ? "user root;\n" : ""
        return "\(user)daemon off;\npid \(directory)/pid;\n" + text
    }
}
