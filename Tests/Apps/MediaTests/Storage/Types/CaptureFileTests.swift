import Inspections
import Media
import Testing

struct CaptureFileTests {
    @Test(
        arguments: [
            // The declared type first,
            ("image/jpeg", "a.jpg", .jpeg, CaptureFile.photo),
            ("image/x-unknown", "a.m4a", nil, .photo),
            ("audio/unknown", nil, nil, .audio),
            ("audio/mp4", "a.jpg", .mp4, .audio),
            // then the extension,
            ("application/octet-stream", "a.heic", nil, .photo),
            (nil, "a.MP3", nil, .audio),
            ("text/plain", "a.wav", .wav, .audio),
            // then the bytes.
            ("application/octet-stream", "a.bin", .png, .photo),
            (nil, nil, .m4a, .audio),
            // Neither,
            ("text/plain", "a.txt", nil, nil),
            (nil, nil, nil, nil),
            ("video/mp4", "a.mp4", .mp4, nil),
            // and false claims.
            ("image/jpeg", "a.jpg", .mp3, nil),
            ("image/jpeg", "a.jpg", .mp4, nil),
            ("audio/mp4", "a.m4a", .jpeg, nil),
        ] as [(String?, String?, MediaType?, CaptureFile?)])
    func `type, extension and bytes decide in this order`(
        declared: String?, filename: String?, content: MediaType?, expected: CaptureFile?
    ) {
        let part = PartHeader(
            name: "file", filename: filename?.lowercased(), contentType: declared)
        #expect(CaptureFile(part: part, content: content) == expected)
    }
}
