import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct FoodsTests {
    private static let directory = Project.file("Tests/Apps/MealsTests/FoodData").path()

    @Test func `foods are imported, again without a change, and a wrong directory is reported`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("foods")
        let first = try await Subprocess.sluice(
            "foods", "import", Self.directory, environment: environment)
        #expect(first.status == 0, "\(first.err)")
        #expect(
            first.out.contains("5 foods are new, 0 changed, 0 unchanged\n"), "\(first.out)")
        #expect(first.out.contains(" left out: "), "\(first.out)")
        let second = try await Subprocess.sluice(
            "foods", "import", Self.directory, environment: environment)
        #expect(second.out.contains("0 foods are new, 0 changed, 5 unchanged\n"))
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let count = try connection.query("select count(*) from sluice.food where source = 'fdc'")
        #expect(count.int64(0, 0) == 5)
        let wrong = try await Subprocess.sluice(
            "foods", "import", "/nowhere", environment: environment)
        #expect(wrong.status == EX_NOINPUT)
        #expect(wrong.err.contains("/nowhere: nutrient.csv is missing"), "\(wrong.err)")
    }
}
