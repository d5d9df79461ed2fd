import Captures
import Testing

struct FoldedNameTests {
    @Test func `names that differ in case, spaces and the form of accents are the same`() {
        #expect(FoldedName.key(of: " Jose\u{301}  DIAZ ") == FoldedName.key(of: "José Diaz"))
        #expect(FoldedName.key(of: "José") != FoldedName.key(of: "Jose"))
    }
}
