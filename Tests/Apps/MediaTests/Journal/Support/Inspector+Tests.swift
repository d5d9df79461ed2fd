import Foundation
import Inspections
import Logging
import TestSupport

@testable import Media

extension Inspector {
    /// An inspector with the built program.
    ///
    /// - Parameter program: a program to use instead.
    static func forTests(
        _ program: ScriptedProgram? = nil,
        _ configure: (inout InspectorConfiguration) -> Void = { _ in }
    ) -> Inspector {
        var configuration = InspectorConfiguration()
        configuration.reportLimits.secondsMax = 600
        configuration.thumbnailLimits.secondsMax = 600
        configure(&configuration)
        return Inspector(
            program: program?.path ?? BuiltProgram.path("sluice-inspect"), configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// A shell script that is started instead of `sluice-inspect`, with the order's words.
struct ScriptedProgram {
    let path: String

    /// Runs the built program in the way this script was called.
    static let real = "exec '\(BuiltProgram.path("sluice-inspect"))' \"$@\""

    init(_ text: String) throws {
        let directory = TestCluster.freshDirectory()
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        path = directory + "/program"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// The lines that it has appended to `"$0.notes"`.
    var notes: [String] {
        let text = try? String(contentsOfFile: path + ".notes", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }
}
