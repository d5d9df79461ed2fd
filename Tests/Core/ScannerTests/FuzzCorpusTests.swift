import Foundation
import ScannerSupport
import Testing

/// Inputs that coverage-guided fuzzing found worth keeping, tried again in every build.
@Suite struct `The fuzzing corpus` {
    @Test(.timeLimit(.minutes(10))) func `means the same to scanner and reference`() throws {
        let names = try Corpus.names(under: "fuzz")
        #expect(!names.isEmpty)
        for name in names {
            let input = FuzzCase(try Corpus.body("fuzz/\(name)"))
            if let difference = input.difference() { Issue.record("\(name): \(difference)") }
        }
    }
}
