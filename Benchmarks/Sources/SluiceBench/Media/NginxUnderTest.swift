import ArgumentParser
import Foundation

/// An nginx for the benchmark that serves one directory: two workers, sendfile, keep-alive, no
/// log.
final class NginxUnderTest {
    let port: Int
    private let process = Process()
    private let directory: URL

    /// As many as the server's event loops on two cores.
    static let workers = 2
    private static let startSecondsMax = 10.0

    /// - Parameter root: the directory that it serves.
    init(binary: String, root: URL) throws {
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw ValidationError("No nginx at '\(binary)': install nginx-light, or set --nginx.")
        }
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-nginx-\(getpid())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        port = try ServerUnderTest.freePort()
        let configuration = directory.appendingPathComponent("nginx.conf")
        try Self.text(port: port, root: root.path, directory: directory.path)
            .write(to: configuration, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["-p", directory.path, "-c", configuration.path, "-e", "stderr"]
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let end = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while Date() < end, process.isRunning {
            if (try? UploadClient(port: port, headLines: "")) != nil { return }
            usleep(20_000)
        }
        stop()
        throw ValidationError("nginx did not start: \(binary) -c \(configuration.path)")
    }

    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func text(port: Int, root: String, directory: String) -> String {
        // If root starts nginx, its workers run as a user who may not read our directory.
        let user = getuid() == 0 ? "user root;" : ""
        return """
            \(user)
            daemon off;
            worker_processes \(workers);
            pid \(directory)/nginx.pid;
            events { worker_connections 2048; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_timeout 75;
                keepalive_requests 1000000000;
                types { image/jpeg jpg; }
                client_body_temp_path \(directory)/body;
                proxy_temp_path \(directory)/proxy;
                fastcgi_temp_path \(directory)/fastcgi;
                uwsgi_temp_path \(directory)/uwsgi;
                scgi_temp_path \(directory)/scgi;
                server {
                    listen 127.0.0.1:\(port);
                    root \(root);
                }
            }

            """
    }
}
