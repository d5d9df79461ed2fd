/// The results of many seeds.
package struct SimulationSums: Sendable, CustomStringConvertible {
    package private(set) var seeds = 0
    package private(set) var failures = 0
    private var steps = 0
    private var seconds = 0.0
    private var readings = 0
    private var units = 0
    private var answers = 0
    private var spooledAnswers = 0
    private var crashes = 0

    package init() {}

    package mutating func add(_ report: SimulationReport) {
        seeds += 1
        failures += report.violations.isEmpty ? 0 : 1
        steps += report.steps
        seconds += report.seconds
        readings += report.readings
        units += report.units
        answers += report.answers
        spooledAnswers += report.spooledAnswers
        crashes += report.crashes
    }

    package var description: String {
        """
        \(seeds) seeds, \(failures) failed; \(steps) steps, \(Int(seconds)) s of their own time, \
        \(readings) readings and \(units) units stored, \(answers) answers, \(spooledAnswers) of them 202, \
        \(crashes) crashes
        """
    }
}
