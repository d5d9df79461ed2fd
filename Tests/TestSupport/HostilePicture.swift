import CGD

/// Pictures that are far more expensive than their size suggests, and honest ones of the same
/// size.
public enum HostilePicture {
    /// There is no memory for it, or libgd made a picture of an unexpected form.
    public struct NotMade: Error {}

    /// 49 million pixels: within the limit.
    public static let side = 7000

    /// A progressive JPEG with this many scans, each of which is decoded over all 49 million
    /// pixels. It is made from a small one: the last scan is repeated, and the frame claims
    /// another size.
    public static func scans(_ count: Int) throws -> [UInt8] {
        var jpeg = try jpeg(width: 64, height: 64, isProgressive: true)
        guard let frame = marker(0xC2, in: jpeg, from: 2) else { throw NotMade() }
        let size = UInt16(side)
        jpeg.replaceSubrange(
            frame + 5..<frame + 9,
            with: [UInt8(size >> 8), UInt8(size & 255), UInt8(size >> 8), UInt8(size & 255)])
        var scan = 0
        var next = marker(0xDA, in: jpeg, from: 2)
        while let place = next {
            scan = place
            next = marker(0xDA, in: jpeg, from: place + 2)
        }
        let repeated = jpeg[scan..<jpeg.count - 2]
        for _ in 0..<count { jpeg.insert(contentsOf: repeated, at: jpeg.count - 2) }
        return jpeg
    }

    /// A PNG of 49 million equal pixels.
    public static func bomb() throws -> [UInt8] {
        guard let image = gdImageCreate(Int32(side), Int32(side)) else { throw NotMade() }
        defer { gdImageDestroy(image) }
        gdImageColorAllocate(image, 10, 20, 30)
        return try bytes { gdImagePngPtr(image, &$0) }
    }

    /// A JPEG of stripes.
    public static func jpeg(width: Int, height: Int, isProgressive: Bool = false) throws -> [UInt8]
    {
        guard let image = gdImageCreateTrueColor(Int32(width), Int32(height)) else {
            throw NotMade()
        }
        defer { gdImageDestroy(image) }
        for line in stride(from: 0, to: Int32(height), by: 16) {
            gdImageFilledRectangle(
                image, 0, line, Int32(width), line + 7, line * 2311 & 0xFF_FFFF)
        }
        gdImageInterlace(image, isProgressive ? 1 : 0)
        return try bytes { gdImageJpegPtr(image, &$0, 80) }
    }

    private static func bytes(
        _ encode: (inout Int32) -> UnsafeMutableRawPointer?
    ) throws -> [UInt8] {
        var count: Int32 = 0
        guard let encoded = encode(&count) else { throw NotMade() }
        defer { gdFree(encoded) }
        return Array(UnsafeRawBufferPointer(start: encoded, count: Int(count)))
    }

    private static func marker(_ code: UInt8, in jpeg: [UInt8], from start: Int) -> Int? {
        (start..<jpeg.count - 1).first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == code }
    }
}
