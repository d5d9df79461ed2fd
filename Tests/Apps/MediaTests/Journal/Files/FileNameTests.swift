import Inspections
@testable import Media
import Testing

struct FileNameTests {
    @Test(arguments: [
        ("mood_image0.jpg", "mood_image0.jpg"), ("../../etc/passwd", "passwd.jpg"),
        ("C:\\photos\\a b.JPG", "a b.JPG"), ("/", "file.jpg"), ("", "file.jpg"),
        (".htaccess", "htaccess.jpg"), ("...jpg", "jpg.jpg"), ("a\u{0}b.jpg", "ab.jpg"),
        ("a\r\nb.jpg", "ab.jpg"), ("\u{202E}gpj.exe", "gpj.exe.jpg"),
        ("page.html", "page.html.jpg"),
        (" photo .png ", "photo .png"), ("Ünïcödé 🖼️.jpeg", "Ünïcödé 🖼️.jpeg"),
    ])
    func `a name is cleaned for display`(name: String, cleaned: String) {
        #expect(FileName.cleaned(name, type: .jpeg) == cleaned)
    }

    @Test func `a missing name is replaced`() {
        #expect(FileName.cleaned(nil, type: .m4a) == "file.m4a")
        #expect(FileName.cleaned(nil, type: nil) == "file")
    }

    @Test func `a long name keeps its end`() {
        let name = FileName.cleaned(String(repeating: "a", count: 10240) + ".png", type: .png)
        #expect(name.utf8.count == 255 && name.hasSuffix("a.png"))
        let wide = FileName.cleaned(String(repeating: "🖼️", count: 1000) + ".png", type: .png)
        #expect(wide.utf8.count <= 255 && wide.hasPrefix("🖼️") && wide.hasSuffix(".png"))
    }

    @Test func `no bytes make a name with a slash or a control character`() {
        var state: UInt64 = 1
        for _ in 0..<2000 {
            let scalars = (0..<20).compactMap { _ -> Unicode.Scalar? in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Unicode.Scalar(UInt32(state >> 40) % 0x3000)
            }
            let name = FileName.cleaned(
                String(String.UnicodeScalarView(scalars)), type: .gif)
            #expect(!name.isEmpty && name.utf8.count <= 255 && !name.hasPrefix("."))
            #expect(
                !name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 32 },
                "\(name)")
        }
    }
}
