import Inspections

/// The frames of an MP3 file. All else in it is tags: ID3 at both ends, APE, lyrics.
///
/// - Source: ISO/IEC 11172-3, 2.4.1.3 and 2.4.2.3; ISO/IEC 13818-3, 2.4; id3.org, ID3v2.4.
struct MP3Sound {
    private let file: FileBytes

    private static let tagHeader = 10
    /// By version 1 or not, layer II or III, the index in the header: kilobits a second.
    private static let rates1 = [
        2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    private static let rates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    private static let sampleRates = [44_100, 48_000, 32_000]

    private struct Frame {
        let bytes: Int
        let seconds: Double
    }

    init(_ file: FileBytes) { self.file = file }

    /// - Returns: nil when it has no frame.
    func facts() throws(Unsettled) -> FilmFacts? {
        var seconds = 0.0
        try walk(frame: { seconds += $0 }, gap: { _ in })
        guard seconds > 0 else { return nil }
        var film = FilmFacts()
        film.facts.duration = max(1, (seconds * 1000).rounded()) / 1000
        film.hasSound = true
        return film
    }

    /// Blanks what is no frame. The header of a tag at the start stays, because it tells the type.
    func eraseRest() throws(Unsettled) {
        var seconds = 0.0
        let head = try file.has("ID3", at: 0) ? Self.tagHeader : 0
        var gaps: [Range<Int>] = []
        try walk(
            frame: { seconds += $0 },
            gap: {
                if $0.upperBound > head { gaps.append(max(head, $0.lowerBound)..<$0.upperBound) }
            })
        guard seconds > 0 else { throw .notRemovable }
        for gap in gaps { try file.fill(gap) }
        // The tag has no extended header any more, and no footer.
        if head > 0 { try file.fill(5..<6) }
    }

    private func walk(
        frame: (Double) -> Void, gap: (Range<Int>) -> Void
    ) throws(Unsettled) {
        var place = 0
        var gapStart = 0
        var isInSound = false
        var isFirst = true
        while place < file.count {
            let found = try self.frame(at: place)
            // The header's bits may occur anywhere; two frames in a row hardly ever do.
            if let found, isInSound, place + found.bytes > file.count {
                // The last frame was cut.
                return
            }
            if let found, place + found.bytes <= file.count {
                let next = place + found.bytes
                let isFollowed = next == file.count ? true : try self.frame(at: next) != nil
                if isFollowed || isInSound {
                    if gapStart < place { gap(gapStart..<place) }
                    let isSound = isFirst ? !(try isIndex(place)) : true
                    if isSound { frame(found.seconds) }
                    isFirst = false
                    place = next
                    gapStart = next
                    isInSound = isFollowed
                    continue
                }
            }
            isInSound = false
            let tag = try tagBytes(at: place)
            place = try file.find(0xFF, in: (place + max(1, tag))..<file.count) ?? file.count
        }
        if gapStart < file.count { gap(gapStart..<file.count) }
    }

    /// The length of an ID3v2 tag, in which bytes may look like frames.
    private func tagBytes(at place: Int) throws(Unsettled) -> Int {
        guard try file.has("ID3", at: place) else { return 0 }
        let size = try file.read(place + 6..<place + 10)
        let bytes = Self.tagHeader + size.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
        return min(bytes, file.count - place - 1)
    }

    /// Whether a frame has no sound but an index, behind the side information of one or two
    /// channels.
    private func isIndex(_ frame: Int) throws(Unsettled) -> Bool {
        for offset in [13, 21, 36] {
            for name in ["Xing", "Info", "VBRI"] where try file.has(name, at: frame + offset) {
                return true
            }
        }
        return false
    }

    private func frame(at place: Int) throws(Unsettled) -> Frame? {
        guard let header = try file.number(at: place, 4), header >> 21 == 0x7FF else { return nil }
        let version = header >> 19 & 3
        let layer = 4 - (header >> 17 & 3)
        let (rateIndex, sampleIndex) = (header >> 12 & 15, header >> 10 & 3)
        guard version != 1, layer == 2 || layer == 3, rateIndex != 0, rateIndex != 15,
            sampleIndex != 3
        else { return nil }
        let isFirst = version == 3
        let rate = (isFirst ? Self.rates1[layer]?[rateIndex] : Self.rates2[rateIndex]) ?? 0
        let sampleRate = Self.sampleRates[sampleIndex] / (isFirst ? 1 : version == 2 ? 2 : 4)
        let samples = layer == 3 && !isFirst ? 576 : 1152
        let bytes = samples / 8 * rate * 1000 / sampleRate + (header >> 9 & 1)
        return Frame(bytes: bytes, seconds: Double(samples) / Double(sampleRate))
    }
}
