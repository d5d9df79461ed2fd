import Inspections

/// The facts of an MP4, M4A or QuickTime file: what its header says, or else the lengths of its
/// fragments. No sample is decoded.
///
/// - Source: ISO/IEC 14496-12, 8.2 to 8.8; 12.1.3 for the size of pictures.
struct MovieFacts {
    private let file: FileBytes
    private var film = FilmFacts()
    private var hasHeader = false
    /// Of the whole film, in seconds.
    private var seconds: Double?
    private var tracks: [Int: Track] = [:]

    private struct Track {
        var id = 0
        var handler = ""
        var timeScale = 0
        /// In units of the time scale.
        var length = 0
        /// Of samples in fragments that don't say it.
        var sampleLength = 0
        var fragmentsLength = 0.0
        var width = 0
        var height = 0
        var isTurned = false
    }

    /// - Returns: nil when it has no header.
    static func read(_ file: FileBytes) throws(Unsettled) -> FilmFacts? {
        var movie = MovieFacts(file: file)
        var boxes = Boxes(0..<file.count, of: file)
        while let box = try boxes.next() {
            if box.name == "moov" { try movie.take(header: box) }
            if box.name == "moof" { try movie.take(fragment: box) }
        }
        return movie.hasHeader ? movie.finished : nil
    }

    private init(file: FileBytes) { self.file = file }

    private var finished: FilmFacts {
        var film = film
        let lengths = tracks.values.compactMap { track -> Double? in
            let length = max(Double(track.length), track.fragmentsLength)
            return track.timeScale > 0 && length > 0
                ? length / Double(track.timeScale) : nil
        }
        if let seconds = seconds ?? lengths.max(), seconds > 0, seconds.isFinite {
            // Milliseconds: finer digits are noise of the time base.
            film.facts.duration = max(1, (seconds * 1000).rounded()) / 1000
        }
        let picture = tracks.values.filter { $0.handler == "vide" }.min { $0.id < $1.id }
        film.hasPicture = picture != nil
        film.hasSound = tracks.values.contains { $0.handler == "soun" }
        if let picture, FilmFacts.sides.contains(picture.width),
            FilmFacts.sides.contains(picture.height)
        {
            (film.facts.width, film.facts.height) =
                picture.isTurned
                ? (picture.height, picture.width) : (picture.width, picture.height)
        }
        return film
    }

    private mutating func take(header box: Box) throws(Unsettled) {
        hasHeader = true
        var boxes = Boxes(box.content, of: file)
        while let box = try boxes.next() {
            switch box.name {
            case "mvhd":
                let (scale, length) = try times(box, offset: 4)
                if scale > 0, length > 0 { seconds = Double(length) / Double(scale) }
            case "trak":
                var track = Track()
                try take(&track, box, depth: 0)
                tracks[track.id] = track
            case "mvex": try take(extensions: box)
            default: break
            }
        }
    }

    private mutating func take(extensions box: Box) throws(Unsettled) {
        var boxes = Boxes(box.content, of: file)
        while let box = try boxes.next() {
            guard box.name == "trex" else { continue }
            guard let id = try file.number(at: box.content.lowerBound + 4, 4) else { continue }
            tracks[id]?.sampleLength =
                try file.number(at: box.content.lowerBound + 12, 4) ?? 0
        }
    }

    private func take(_ track: inout Track, _ box: Box, depth: Int) throws(Unsettled) {
        var boxes = Boxes(box.content, of: file)
        while let box = try boxes.next() {
            let start = box.content.lowerBound
            switch box.name {
            case "tkhd":
                let isLong = try file.byte(at: start) == 1
                track.id = try file.number(at: start + (isLong ? 20 : 12), 4) ?? 0
                let matrix = start + (isLong ? 52 : 40)
                track.isTurned = try abs(fixed(matrix + 4)) > abs(fixed(matrix))
            case "mdhd": (track.timeScale, track.length) = try times(box, offset: 4)
            case "hdlr" where track.handler.isEmpty: track.handler = try file.name(at: start + 8)
            case "stsd" where track.handler == "vide":
                // The first description; its size is behind 24 bytes.
                track.width = try file.number(at: start + 8 + 8 + 24, 2) ?? 0
                track.height = try file.number(at: start + 8 + 8 + 26, 2) ?? 0
            case "mdia", "minf", "stbl":
                if depth < 4 { try take(&track, box, depth: depth + 1) }
            default: break
            }
        }
    }

    private mutating func take(fragment box: Box) throws(Unsettled) {
        var boxes = Boxes(box.content, of: file)
        while let box = try boxes.next() {
            guard box.name == "traf" else { continue }
            var id = 0
            var sampleLength = 0
            var parts = Boxes(box.content, of: file)
            while let part = try parts.next() {
                let start = part.content.lowerBound
                let flags = try file.number(at: start + 1, 3) ?? 0
                if part.name == "tfhd" {
                    id = try file.number(at: start + 4, 4) ?? 0
                    sampleLength = tracks[id]?.sampleLength ?? 0
                    if flags & 8 != 0 {
                        let place = 8 + (flags & 1 != 0 ? 8 : 0) + (flags & 2 != 0 ? 4 : 0)
                        sampleLength = try file.number(at: start + place, 4) ?? 0
                    }
                } else if part.name == "trun" {
                    let length = try length(run: part, flags: flags, sampleLength: sampleLength)
                    tracks[id]?.fragmentsLength += length
                }
            }
        }
    }

    private func length(run: Box, flags: Int, sampleLength: Int) throws(Unsettled) -> Double {
        let samples = try file.number(at: run.content.lowerBound + 4, 4) ?? 0
        guard flags & 0x100 != 0 else { return Double(samples) * Double(sampleLength) }
        var place = run.content.lowerBound + 8 + (flags & 1 != 0 ? 4 : 0) + (flags & 4 != 0 ? 4 : 0)
        let stride = 4 * (flags >> 8 & 15).nonzeroBitCount
        var sum = 0
        for _ in 0..<samples {
            guard place + 4 <= run.content.upperBound else { break }
            sum += try file.number(at: place, 4) ?? 0
            place += stride
        }
        return Double(sum)
    }

    /// Time scale and length of `mvhd` and `mdhd`, behind the times of creation and change.
    private func times(_ box: Box, offset: Int) throws(Unsettled) -> (scale: Int, length: Int) {
        let start = box.content.lowerBound
        let isLong = try file.byte(at: start) == 1
        let place = start + offset + (isLong ? 16 : 8)
        let scale = try file.number(at: place, 4) ?? 0
        // A length of all ones is unknown, and none needs more than seven bytes.
        if isLong {
            let isKnown = try file.byte(at: place + 4) == 0
            return (scale, isKnown ? try file.number(at: place + 5, 7) ?? 0 : 0)
        }
        let length = try file.number(at: place + 4, 4) ?? 0
        return (scale, length == 0xFFFF_FFFF ? 0 : length)
    }

    private func fixed(_ offset: Int) throws(Unsettled) -> Int {
        Int(Int32(truncatingIfNeeded: try file.number(at: offset, 4) ?? 0))
    }
}
