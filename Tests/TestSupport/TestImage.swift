/// Small images with the metadata that cameras write, made byte by byte.
public enum TestImage {
    /// A JPEG of 64 × 48 pixels by its header, with the EXIF of a turned camera with a GPS
    /// position.
    public static func jpeg(orientation: UInt16 = 6, hasPlace: Bool = true) -> [UInt8] {
        let exif = Array("Exif".utf8) + [0, 0] + tiff(orientation: orientation, hasPlace: hasPlace)
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += [0xFF, 0xE1] + big16(exif.count + 2) + exif
        let frame: [UInt8] = [8, 0, 48, 0, 64, 1, 1, 0x11, 0]
        bytes += [0xFF, 0xC0] + big16(frame.count + 2) + frame
        bytes += [0xFF, 0xDA] + big16(8) + [1, 1, 0, 0, 63, 0] + [0x55, 0xAA]
        return bytes + [0xFF, 0xD9]
    }

    private struct Entry {
        var tag: UInt16
        var type: UInt16
        var count: Int
        var data: [UInt8]
    }

    /// Big-endian TIFF: main directory, EXIF directory, GPS directory.
    private static func tiff(orientation: UInt16, hasPlace: Bool) -> [UInt8] {
        func text(_ tag: UInt16, _ value: String) -> Entry {
            Entry(tag: tag, type: 2, count: value.utf8.count + 1, data: Array(value.utf8) + [0])
        }
        func angle(_ tag: UInt16, _ parts: [(Int, Int)]) -> Entry {
            Entry(
                tag: tag, type: 5, count: parts.count,
                data: parts.flatMap { big32($0.0) + big32($0.1) })
        }
        let exif = [text(0x9003, "2026:01:24 10:30:00")]
        let gps = [
            text(1, "N"), angle(2, [(42, 1), (21, 1), (3636, 100)]), text(3, "W"),
            angle(4, [(71, 1), (5, 1), (3912, 100)]),
        ]
        let start = 8
        let links = hasPlace ? 2 : 1
        let mainEntries = 3 + links
        let mainData = "Apple".utf8.count + 1 + "iPhone 15".utf8.count + 1
        let exifStart = start + 2 + mainEntries * 12 + 4 + mainData
        let exifBytes = directory(exif, at: exifStart)
        let gpsStart = exifStart + exifBytes.count
        var main = [
            text(0x010F, "Apple"), text(0x0110, "iPhone 15"),
            Entry(tag: 0x0112, type: 3, count: 1, data: big16(Int(orientation)) + [0, 0]),
            Entry(tag: 0x8769, type: 4, count: 1, data: big32(exifStart)),
        ]
        if hasPlace {
            main.append(Entry(tag: 0x8825, type: 4, count: 1, data: big32(gpsStart)))
        }
        var bytes: [UInt8] = [0x4D, 0x4D, 0, 0x2A] + big32(start)
        bytes += directory(main, at: start)
        precondition(bytes.count == exifStart, "BUG: \(bytes.count) ≠ \(exifStart)")
        return bytes + exifBytes + (hasPlace ? directory(gps, at: gpsStart) : [])
    }

    private static func directory(_ entries: [Entry], at start: Int) -> [UInt8] {
        var head = big16(entries.count)
        var data: [UInt8] = []
        let dataStart = start + 2 + entries.count * 12 + 4
        for entry in entries {
            head += big16(Int(entry.tag)) + big16(Int(entry.type)) + big32(entry.count)
            if entry.data.count <= 4 {
                head += entry.data + [UInt8](repeating: 0, count: 4 - entry.data.count)
            } else {
                head += big32(dataStart + data.count)
                data += entry.data
            }
        }
        return head + [0, 0, 0, 0] + data
    }

    private static func big16(_ value: Int) -> [UInt8] {
        [UInt8(value >> 8 & 255), UInt8(value & 255)]
    }

    private static func big32(_ value: Int) -> [UInt8] {
        big16(value >> 16 & 0xFFFF) + big16(value & 0xFFFF)
    }
}
