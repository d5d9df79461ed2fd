import Foundation
import SluiceClient

/// A program for tests to kill: appends readings to a queue, and sends them.
///
/// Arguments: the queue's directory, the address, the key, a device, the readings to begin and end
/// with. Reading number `i` is a vital of that value, `i` seconds after the start of yesterday. After
/// each append it prints the number of the next reading. It exits when all are appended and sent.
@main
struct ClientWorker {
    private struct Reading: Encodable {
        let t: Int
        let type = "vital"
        let code = 1
        let val: Int
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        var configuration = TelemetryClient.Configuration(
            url: URL(string: arguments[2])!, key: arguments[3])
        configuration.intervalSeconds = 0.02
        configuration.pauseSecondsMax = 1
        configuration.timeoutSeconds = 3
        var limits = ReadingQueue.Limits()
        limits.segmentBytesMax = 4 << 10
        let client = TelemetryClient(
            configuration,
            queue: try ReadingQueue(
                directory: URL(fileURLWithPath: arguments[1]), limits: limits))
        let sending = Task { await client.run() }
        let start = (Int(Date().timeIntervalSince1970) / 86_400 - 1) * 86_400
        var (next, end) = (Int(arguments[5])!, Int(arguments[6])!)
        while next < end {
            let readings = (next..<min(end, next + .random(in: 1...9))).map {
                Reading(t: start + $0, val: $0)
            }
            try client.append(readings, metadata: ["device_id": arguments[4]])
            next += readings.count
            try FileHandle.standardOutput.write(contentsOf: Data("\(next)\n".utf8))
            try await Task.sleep(nanoseconds: 8_000_000)
        }
        while try !client.queue.isEmpty() {
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        sending.cancel()
        await sending.value
    }
}
