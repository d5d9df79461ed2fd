import Foundation
import Load

/// Compares GETs of a file from Sluice with GETs of the same file from nginx.
struct DownloadGoal {
    let server: ServerUnderTest
    let nginx: String
    let fileBytes: Int
    let connections: Int
    let seconds: Double
    let pairs: Int
    let key: String
    let name: String

    private var headLines: String { "Authorization: Bearer \(key)\r\n" }

    func row() throws -> GoalOutcome {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("sluice-bench-root-\(getpid())")
        defer { try? FileManager.default.removeItem(at: root) }
        let file = try SourceFiles(sizes: [fileBytes], in: root).files[0]
        let other = try NginxUnderTest(binary: nginx, root: root)
        defer { other.stop() }
        let id = "\(name)-\(fileBytes)"
        let client = try UploadClient(port: server.port, headLines: headLines)
        try client.upload(file.path, bytes: file.bytes, id: id)
        let sides = [
            (port: server.port, path: "/media/memories/\(id)/photo.jpg", headLines: headLines),
            (port: other.port, path: "/0.jpg", headLines: ""),
        ]
        let content = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        for side in sides {
            let client = try UploadClient(port: side.port, headLines: side.headLines)
            guard try client.fetch(side.path) == content else {
                throw UploadClient.Failure(description: "\(side.path) differs after its download")
            }
        }
        var rates: [[Double]] = [[], []]
        // The first pair only warms up.
        for pair in 0...pairs {
            for side in pair % 2 == 0 ? [0, 1] : [1, 0] {
                let rate = try Downloader(
                    port: sides[side].port, path: sides[side].path,
                    headLines: sides[side].headLines, bodyBytes: fileBytes,
                    connections: connections
                ).rate(seconds: seconds)
                if pair > 0 { rates[side].append(rate) }
            }
        }
        let remark =
            "\(Int(Figures.median(rates[0]) / 1e6)) against "
            + "\(Int(Figures.median(rates[1]) / 1e6)) MB/s, "
            + "\(Figures.short(Figures.median(rates[0]) / Double(fileBytes))) against "
            + "\(Figures.short(Figures.median(rates[1]) / Double(fileBytes))) a second"
        return GoalOutcome(
            name: "GET of \(fileBytes / 1024) KiB, \(connections) connections ÷ nginx", unit: "×",
            direction: .atLeast, goal: 0.25, values: zip(rates[0], rates[1]).map { $0 / $1 },
            remark: remark)
    }
}
