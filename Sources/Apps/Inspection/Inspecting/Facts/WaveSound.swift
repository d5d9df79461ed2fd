import Inspections

/// A WAV file: its format and its sound.
///
/// - Source: Microsoft's "Multimedia Programming Interface and Data Specifications 1.0", WAVE.
struct WaveSound {
    private let file: FileBytes

    private static let kept: Set<String> = ["fmt ", "data", "fact", "ds64"]

    init(_ file: FileBytes) { self.file = file }

    /// - Returns: nil when it has no format.
    func facts() throws(Unsettled) -> FilmFacts? {
        var chunks = try RIFFChunks(file)
        var bytesPerSecond = 0
        var bytes = 0
        while let chunk = try chunks.next() {
            if chunk.name == "fmt " {
                bytesPerSecond =
                    try file.number(at: chunk.data.lowerBound + 8, 4, isLittleEndian: true) ?? 0
            } else if chunk.name == "data" {
                bytes += chunk.data.count
            }
        }
        guard bytesPerSecond > 0 else { return nil }
        var film = FilmFacts()
        film.hasSound = true
        if bytes > 0 {
            let seconds = Double(bytes) / Double(bytesPerSecond)
            film.facts.duration = max(1, (seconds * 1000).rounded()) / 1000
        }
        return film
    }

    /// Makes every other chunk a chunk `JUNK` of zeros.
    func eraseRest() throws(Unsettled) {
        var chunks = try RIFFChunks(file)
        while let chunk = try chunks.next() {
            guard !Self.kept.contains(chunk.name) else { continue }
            try file.overwrite(Array("JUNK".utf8), at: chunk.data.lowerBound - 8)
            try file.fill(chunk.data)
        }
        try chunks.eraseRest()
    }
}
