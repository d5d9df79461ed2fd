import CGD
import Inspections

/// The only place that calls libgd: decodes an image, makes it smaller and upright, and encodes it.
///
/// Images are untrusted, so this runs in a separate process (``Inspection``). An image with too
/// many pixels is not decoded: the caller checks the size in its record, and the size in the header
/// (``ImageFacts``) is checked here. Everything that the library allocates is freed here. No
/// metadata is copied.
enum ThumbnailImage {
    private static let jpegQuality: Int32 = 82
    /// Of zlib's 9: higher levels cost time and save little.
    private static let pngLevel: Int32 = 6

    /// Configures the library once per process; otherwise it would write to standard error.
    private static let isReady: Bool = {
        gdSetErrorMethod { _, _, _ in }
        return true
    }()

    /// - Parameter width: the greatest width of the result in pixels; an image is never enlarged.
    static func make(
        of image: UnsafeRawBufferPointer, type: MediaType, width: Int, pixelsMax: Int
    ) -> Result<EncodedImage, InspectionFault> {
        guard isReady, let facts = ImageFacts.read(image), let sourceWidth = facts.width,
            let sourceHeight = facts.height
        else { return .failure(.unreadable) }
        guard sourceWidth * sourceHeight <= pixelsMax else { return .failure(.tooManyPixels) }
        guard let source = decode(image, type) else { return .failure(.unreadable) }
        defer { gdImageDestroy(source) }
        // The decoder may have read another header.
        guard Int(source.pointee.sx) * Int(source.pointee.sy) <= pixelsMax else {
            return .failure(.tooManyPixels)
        }
        guard let small = shrink(source, to: width, orientation: facts.orientation) else {
            return .failure(.unreadable)
        }
        defer { gdImageDestroy(small) }
        guard facts.orientation != 1, let upright = turn(small, facts.orientation) else {
            return encode(small)
        }
        defer { gdImageDestroy(upright) }
        return encode(upright)
    }

    private static func decode(
        _ image: UnsafeRawBufferPointer, _ type: MediaType
    ) -> gdImagePtr? {
        // The library only reads; its parameter says otherwise.
        let bytes = UnsafeMutableRawPointer(mutating: image.baseAddress)
        let count = Int32(image.count)
        switch type {
        // A JPEG that ends early is shown as far as it goes.
        case .jpeg: return gdImageCreateFromJpegPtrEx(count, bytes, 1)
        case .png: return gdImageCreateFromPngPtr(count, bytes)
        case .webp: return gdImageCreateFromWebpPtr(count, bytes)
        case .gif: return gdImageCreateFromGifPtr(count, bytes)
        default: return nil
        }
    }

    private static func shrink(
        _ source: gdImagePtr, to width: Int, orientation: Int
    ) -> gdImagePtr? {
        let (sourceWidth, sourceHeight) = (Int(source.pointee.sx), Int(source.pointee.sy))
        let isOnItsSide = orientation >= 5
        let seenWidth = isOnItsSide ? sourceHeight : sourceWidth
        let scale = min(1, Double(width) / Double(seenWidth))
        func scaled(_ side: Int) -> Int32 { Int32(max(1, (Double(side) * scale).rounded())) }
        let (newWidth, newHeight) = (scaled(sourceWidth), scaled(sourceHeight))
        guard let small = gdImageCreateTrueColor(newWidth, newHeight) else { return nil }
        gdImageAlphaBlending(small, 0)
        gdImageSaveAlpha(small, 1)
        gdImageCopyResampled(
            small, source, 0, 0, 0, 0, newWidth, newHeight, Int32(sourceWidth), Int32(sourceHeight))
        return small
    }

    /// Applies EXIF's orientation: finds each pixel (x, y) of the upright image in the original.
    private static func turn(_ image: gdImagePtr, _ orientation: Int) -> gdImagePtr? {
        let (width, height) = (image.pointee.sx, image.pointee.sy)
        let isOnItsSide = orientation >= 5
        guard
            let turned = gdImageCreateTrueColor(
                isOnItsSide ? height : width, isOnItsSide ? width : height)
        else { return nil }
        gdImageAlphaBlending(turned, 0)
        gdImageSaveAlpha(turned, 1)
        for y in 0..<turned.pointee.sy {
            for x in 0..<turned.pointee.sx {
                let (fromX, fromY) =
                    switch orientation {
                    case 2: (width - 1 - x, y)
                    case 3: (width - 1 - x, height - 1 - y)
                    case 4: (x, height - 1 - y)
                    case 5: (y, x)
                    case 6: (y, height - 1 - x)
                    case 7: (width - 1 - y, height - 1 - x)
                    case 8: (width - 1 - y, x)
                    default: (x, y)
                    }
                gdImageSetPixel(turned, x, y, gdImageGetTrueColorPixel(image, fromX, fromY))
            }
        }
        return turned
    }

    /// PNG for transparent images, JPEG for opaque ones.
    private static func encode(_ image: gdImagePtr) -> Result<EncodedImage, InspectionFault> {
        var count: Int32 = 0
        let type: MediaType = isOpaque(image) ? .jpeg : .png
        let encoded =
            type == .jpeg
            ? gdImageJpegPtr(image, &count, jpegQuality) : gdImagePngPtrEx(image, &count, pngLevel)
        guard let encoded else { return .failure(.unreadable) }
        defer { gdFree(encoded) }
        let bytes = UnsafeRawBufferPointer(start: encoded, count: Int(count))
        return .success(EncodedImage(type: type, bytes: Array(bytes)))
    }

    private static func isOpaque(_ image: gdImagePtr) -> Bool {
        for y in 0..<image.pointee.sy {
            for x in 0..<image.pointee.sx
            where gdImageGetTrueColorPixel(image, x, y) & 0x7F00_0000 != 0 { return false }
        }
        return true
    }
}
