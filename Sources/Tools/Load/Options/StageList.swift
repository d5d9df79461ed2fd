public import ArgumentParser

/// Stages in the form of the command line: `30s:200,1m:1000,0s:0`.
public struct StageList: ExpressibleByArgument, Sendable, Equatable {
    /// A longer list is probably a mistake.
    static let countMax = 100

    /// In order.
    public var stages: [Stage]

    /// Nil unless the text is a list of `TIME:RATE`.
    public init?(argument: String) {
        stages = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: ":", omittingEmptySubsequences: false)
            guard sides.count == 2, let span = TimeSpan(argument: String(sides[0])),
                let rate = TimeSpan.number(sides[1])
            else { return nil }
            stages.append(Stage(seconds: span.seconds, requestsPerSecond: rate))
        }
        guard (1...Self.countMax).contains(stages.count) else { return nil }
    }

    /// The total duration.
    var seconds: Double { stages.reduce(0) { $0 + $1.seconds } }
}
