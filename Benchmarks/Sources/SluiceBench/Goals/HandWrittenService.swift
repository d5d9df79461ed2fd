import ArgumentParser
import Foundation

/// `Benchmarks/HandWritten/service.py` under uvicorn, with as many processes as there are cores.
final class HandWrittenService {
    let port: Int
    private let process = Process()

    private static let startSecondsMax = 20.0

    /// - Parameter database: connection string of the database to write to.
    init(database: String, key: String) throws {
        port = try ServerUnderTest.freePort()
        let root = URL(fileURLWithPath: ProjectRoot.path)
        process.executableURL = root.appendingPathComponent(".build-python/bin/python")
        process.arguments = [
            "-m", "uvicorn", "--app-dir", "Benchmarks/HandWritten", "--port", String(port),
            "--workers", String(ProcessInfo.processInfo.activeProcessorCount),
            "--no-access-log", "--log-level", "error", "service:app",
        ]
        process.currentDirectoryURL = root
        process.environment = ProcessInfo.processInfo.environment.merging([
            "DATABASE": database, "INGEST_API_KEY": key, "PYTHONDONTWRITEBYTECODE": "1",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let end = Date(timeIntervalSinceNow: Self.startSecondsMax)
        while Date() < end, process.isRunning {
            if HealthProbe(port: port).isHealthy { return }
            usleep(50_000)
        }
        stop()
        throw ValidationError(
            "The hand-written service did not start: deploy/install-dependencies bench.")
    }

    func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
