import Foundation
import TestSupport
import Testing

@testable import SluiceClient

/// The code of deploy/clients.md, with the models of the shipped telemetry client.
@Suite struct AdoptionTests {
    @Test func `the shipped models go through the queue, and the page shows what is compiled here`()
        async throws
    {
        let folder = URL(fileURLWithPath: TestCluster.freshDirectory())
        defer { try? FileManager.default.removeItem(at: folder) }
        // Nobody listens there.
        let url = try #require(URL(string: "http://127.0.0.1:9/ingest"))
        let telemetry = try Telemetry(url: url, key: "k", folder: folder)
        let metadata = Metadata(
            deviceId: "11111111", version: "1.0", userId: nil, modelName: "iPhone 15 Pro")
        try telemetry.record(
            Batch(
                metadata: metadata,
                data: [
                    .gps(
                        .init(type: "gps", t: "2026-02-10T14:57:07Z", lat: 34.0522, lon: -118.2437)),
                    .vital(.init(type: "vital", t: "2026-02-10T14:57:02Z", code: 1, val: 72)),
                ]))
        #expect(await telemetry.deliverOnce() == false)
        let queue = try ReadingQueue(directory: folder.appendingPathComponent("telemetry"))
        let text = try #require(try queue.oldest(except: [])).text
        #expect(
            String(decoding: text.body, as: UTF8.self)
                == #"{"metadata":{"device_id":"11111111","model_name":"iPhone 15 Pro","#
                + #""version":"1.0"},"data":[{"lat":34.0522,"lon":-118.2437,"#
                + #""t":"2026-02-10T14:57:07Z","type":"gps"},{"code":1,"#
                + #""t":"2026-02-10T14:57:02Z","type":"vital","val":72}]}"#)

        let page = try String(contentsOf: Project.file("deploy/clients.md"), encoding: .utf8)
        let start = try #require(page.range(of: "```swift\n")).upperBound
        let end = try #require(page.range(of: "```", range: start..<page.endIndex)).lowerBound
        let shown = page[start..<end].replacing(
            "import Foundation\nimport SluiceClient\n\n", with: "")
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(source.contains(shown))
    }
}

/// In place of the array of unsent readings. One for the whole app.
final class Telemetry: Sendable {
    private let client: TelemetryClient

    init(url: URL, key: String, folder: URL) throws {
        let queue = try ReadingQueue(directory: folder.appendingPathComponent("telemetry"))
        client = TelemetryClient(.init(url: url, key: key), queue: queue)
    }

    /// In place of sending. The readings are on the disk when this returns.
    func record(_ batch: Batch) throws {
        try client.append(batch.data, metadata: batch.metadata)
    }

    /// While the app runs: `Task { await telemetry.deliver() }`.
    func deliver() async {
        await client.run()
    }

    /// In a background task. The system may end it at any time.
    ///
    /// - Returns: whether all is sent.
    func deliverOnce() async -> Bool {
        await client.send().end == .empty
    }
}

/// As in the client guide.
struct Batch: Encodable {
    let metadata: Metadata
    let data: [Reading]
}

struct Metadata: Encodable {
    let deviceId: String
    let version: String?
    let userId: String?
    let modelName: String?

    enum CodingKeys: String, CodingKey {
        case deviceId = "device_id"
        case version
        case userId = "user_id"
        case modelName = "model_name"
    }
}

enum Reading: Encodable {
    case vital(VitalReading)
    case gps(GpsReading)

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .vital(let reading): try reading.encode(to: encoder)
        case .gps(let reading): try reading.encode(to: encoder)
        }
    }
}

struct VitalReading: Encodable {
    let type: String
    let t: String
    let code: Int
    let val: Double
}

struct GpsReading: Encodable {
    let type: String
    let t: String
    let lat: Double
    let lon: Double
    var acc: Double?
}
