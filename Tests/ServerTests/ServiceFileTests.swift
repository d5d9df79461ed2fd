import Testing

@testable import Commands

@Suite struct ServiceFileTests {
    @Test(arguments: [
        ("/usr/bin/sluice", false, ServiceFile.path),
        ("/usr/local/bin/sluice", false, ServiceFile.path),
        ("/usr/bin/sluice", true, nil), ("/home/ann/sluice/.build/release/sluice", false, nil),
        ("", false, nil),
    ])
    func `only an installed program looks for the service, and only if it is told no other place`(
        program: String, isAnotherNamed: Bool, path: String?
    ) {
        #expect(
            ServiceFile.path(program: program, isAnotherNamed: isAnotherNamed) { _ in true } == path
        )
        #expect(
            ServiceFile.path(program: program, isAnotherNamed: isAnotherNamed) { _ in false } == nil
        )
    }
}
