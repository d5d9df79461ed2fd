import ArgumentParser
import Fleet
import Foundation
import Glibc
import Synchronization

/// Where the result goes.
struct OutputOptions: ParsableArguments {
    @Option(help: "Write the result as JSON to this file; - is standard output.")
    var json: String?

    @Option(help: "Write a report with plots to this file: one page, without scripts.")
    var html: String?

    @Option(
        help: ArgumentHelp(
            "A limit; the exit status is 99 if it is crossed. Can be repeated.",
            discussion: """
                Latencies: p50, p99, p99.9 and so on, min, mean, max, such as p99<50ms. Requests: \
                failed<0.1% (refused or without an answer), lost<1 (without an answer), dropped<1 \
                (due, but never sent), rate>=1000 (per second). Readings per second: \
                readings>=100000.
                """))
    var threshold: [Threshold] = []

    @Option(
        help: ArgumentHelp(
            "Compare with the result of an earlier run, written by --json.",
            discussion: """
                Rates, latencies and the failed share are compared. The exit status is 99 if one is \
                worse by more than --tolerance. Compare runs of one machine only.
                """))
    var baseline: String?

    @Option(help: "Percent by which a figure may be worse than in --baseline.")
    var tolerance = 10.0

    @Flag(name: .shortAndLong, help: "Do not show the progress.")
    var quiet = false

    func validate() throws {
        guard (0...1000).contains(tolerance) else {
            throw ValidationError("--tolerance must be 0 to 1000.")
        }
    }

    /// Nil without `--baseline`. It may be the file that this run's result replaces.
    func readBaseline() throws -> LoadResult? {
        guard let path = baseline else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path): can't be read.")
        }
        do throws(Baseline.Fault) {
            return try Baseline.read(data)
        } catch {
            switch error {
            case .unreadable: throw ValidationError("\(path): is not a result of --json.")
            case .form(let form):
                throw ValidationError("\(path): has form \(form); this command reads 1.")
            }
        }
    }

    /// Fails before a long run rather than at its end.
    func checkFiles() throws {
        for path in [json == "-" ? nil : json, html].compactMap(\.self) {
            let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw LoadOptions.Failure.fileUnwritable(path) }
            close(file)
        }
    }

    /// Prints to standard output, or to standard error if the JSON goes there.
    func show(_ lines: [String]) {
        let text = lines.joined(separator: "\n") + "\n"
        let handle = json == "-" ? FileHandle.standardError : FileHandle.standardOutput
        handle.write(Data(text.utf8))
    }

    func write(_ result: LoadResult) throws {
        if let json {
            let text = try result.json()
            if json == "-" {
                FileHandle.standardOutput.write(text)
            } else {
                try put(text, json)
            }
        }
        if let html { try put(Data(HTMLReport(result: result).text.utf8), html) }
    }

    private func put(_ text: Data, _ path: String) throws {
        do {
            try text.write(to: URL(fileURLWithPath: path))
        } catch {
            throw LoadOptions.Failure.fileUnwritable(path)
        }
    }
}
