/// The work of a process on the file at its standard input.
package struct InspectionOrder: Sendable, Equatable {
    package enum Wish: Sendable, Equatable {
        /// The file's facts; with `erasesLocation` also what must change so that it names no place.
        case report(erasesLocation: Bool)
        case thumbnail(width: Int, pixelsMax: Int)
    }

    package var wish: Wish
    /// Detected from the first bytes.
    package var type: MediaType
    package var limits: InspectionLimits

    package init(wish: Wish, type: MediaType, limits: InspectionLimits) {
        self.wish = wish
        self.type = type
        self.limits = limits
    }

    /// The arguments of the process.
    package var words: [String] {
        let numbers = [limits.memoryBytesMax, limits.processorSecondsMax, limits.secondsMax]
        let head = [Inspections.version, type.rawValue] + numbers.map(String.init)
        switch wish {
        case .report(let erasesLocation): return head + [erasesLocation ? "erase" : "report"]
        case .thumbnail(let width, let pixelsMax):
            return head + ["thumbnail", String(width), String(pixelsMax)]
        }
    }

    /// - Returns: nil for words of another version, or that make no sense.
    package init?(words: [String]) {
        guard words.count >= 6, words[0] == Inspections.version,
            let type = MediaType(rawValue: words[1]), let memory = Int(words[2]),
            let processor = Int(words[3]), let seconds = Int(words[4])
        else { return nil }
        let rest = words[6...].map { Int($0) }
        switch (words[5], rest.count) {
        case ("report", 0): wish = .report(erasesLocation: false)
        case ("erase", 0): wish = .report(erasesLocation: true)
        case ("thumbnail", 2):
            guard let width = rest[0], let pixelsMax = rest[1] else { return nil }
            wish = .thumbnail(width: width, pixelsMax: pixelsMax)
        default: return nil
        }
        self.type = type
        limits = InspectionLimits(
            memoryBytesMax: memory, processorSecondsMax: processor, secondsMax: seconds)
    }
}
