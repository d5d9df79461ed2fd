/// MP4, M4A and QuickTime: boxes that players need stay. Other boxes become `free` boxes of zeros.
///
/// A track that records places over time (GoPro's, Google's, Sony's, subtitles of a drone, or timed
/// metadata with a location key) is part of the film's data. It can't be removed here, so such a
/// film is refused.
///
/// - Source: ISO/IEC 14496-12, 8; Apple's QuickTime File Format, "Movie Atoms".
enum MovieLocation {
    /// What stays in each box that contains boxes; `file` is the file itself.
    private static let kept: [String: Set<String>] = [
        "file": [
            "ftyp", "styp", "moov", "moof", "mdat", "mfra", "sidx", "ssix", "pdin", "imda",
        ],
        "moov": ["mvhd", "trak", "mvex", "iods", "pssh", "ctab", "clip"],
        "trak": [
            "tkhd", "mdia", "edts", "tref", "trgr", "tapt", "load", "txas", "clip", "matt", "imap",
        ],
        "mdia": ["mdhd", "hdlr", "minf", "elng"],
        "minf": ["vmhd", "smhd", "hmhd", "nmhd", "sthd", "gmhd", "dinf", "hdlr", "stbl"],
        "stbl": [
            "stsd", "stts", "ctts", "cslg", "stss", "stsh", "sdtp", "stsc", "stsz", "stz2", "stco",
            "co64", "padb", "stdp", "sbgp", "sgpd", "subs", "saiz", "saio", "stps",
        ],
        "moof": ["mfhd", "traf", "pssh"],
        "traf": [
            "tfhd", "tfdt", "trun", "sbgp", "sgpd", "subs", "saiz", "saio", "senc", "sdtp",
        ],
    ]
    /// Handlers of pictures, sound, time codes, captions and metadata.
    private static let handlers: Set<String> = [
        "vide", "soun", "auxv", "pict", "tmcd", "clcp", "hint", "meta", "sdsm", "odsm",
    ]
    /// Sample descriptions of tracks that record places, and of tracks whose frames are pictures
    /// with metadata of their own.
    private static let placeTracks: Set<String> = [
        "gpmd", "camm", "rtmd", "mett", "metx", "urim",
        "jpeg", "mjpa", "mjpb", "mjpg", "MJPG", "dmb1", "png ", "MPNG", "tiff", "gif ",
    ]
    private static let places = ["location", "gps", "latitude", "longitude"]

    static func erase(from file: FileBytes) throws(Unsettled) {
        try walk(0..<file.count, in: "file", of: file)
    }

    private static func walk(
        _ range: Range<Int>, in parent: String, of file: FileBytes
    ) throws(Unsettled) {
        try file.nested { () throws(Unsettled) in
            var boxes = Boxes(range, of: file)
            while let box = try boxes.next() {
                // A compressed movie header. No current software writes one.
                if box.name == "cmov" { throw .notRemovable }
                guard kept[parent]?.contains(box.name) == true else {
                    try free(box, of: file)
                    continue
                }
                if box.name == "stsd" { try check(descriptions: box, of: file) }
                if box.name == "hdlr", parent == "mdia" { try check(handler: box, of: file) }
                if kept[box.name] != nil { try walk(box.content, in: box.name, of: file) }
            }
            let rest = boxes.place
            // Samples may have been cut; anything else is no part of the film.
            if rest < range.upperBound, try file.name(at: rest + 4) != "mdat" {
                try file.fill(rest..<range.upperBound)
            }
        }
    }

    private static func free(_ box: Box, of file: FileBytes) throws(Unsettled) {
        if box.name != "skip", box.name != "wide" {
            try file.overwrite(Array("free".utf8), at: box.whole.lowerBound + 4)
        }
        try file.fill(box.content)
    }

    private static func check(handler box: Box, of file: FileBytes) throws(Unsettled) {
        let name = try file.name(at: box.content.lowerBound + 8)
        guard handlers.contains(name) else { throw .notRemovable }
    }

    private static func check(descriptions box: Box, of file: FileBytes) throws(Unsettled) {
        var boxes = Boxes(box.content.dropFirst(8), of: file)
        while let description = try boxes.next() {
            guard !placeTracks.contains(description.name) else { throw .notRemovable }
            guard description.name == "mebx" else { continue }
            if XMPLocation.mentions(places, try file.read(description.content)) {
                throw .notRemovable
            }
        }
    }
}
