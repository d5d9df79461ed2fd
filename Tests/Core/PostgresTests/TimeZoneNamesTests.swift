import Foundation
@testable import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TimeZoneNamesTests {
    let connection: Connection

    init() throws { connection = try TestCluster.shared.freshConnection(named: "zones") }

    /// What phones send, and other names that both know.
    @Test func `names of the IANA database are known`() throws {
        let names = [
            "America/New_York", "Asia/Calcutta", "Asia/Kolkata", "Asia/Kathmandu", "Europe/Berlin",
            "America/Argentina/Buenos_Aires", "Africa/Casablanca", "Etc/GMT+5", "UTC", "GMT",
        ]
        #expect(try TimeZoneNames.known(names, on: connection) == Set(names))
        #expect(try TimeZoneNames.contains("Europe/Berlin", on: connection))
    }

    @Test func `what PostgreSQL and Foundation read differently, or only one knows, is not`() throws
    {
        let names = [
            "GMT+5", "GMT-3", "UTC+3", "UTC-03:30", "PST", "IST", "BST", "CEST", "+05", "<+05>-5",
            "EST5EDT4", "Factory", "posix/Europe/Berlin", "right/Europe/Berlin", "europe/berlin",
            "EUROPE/BERLIN", " UTC", "UTC ", "Mars/Olympus", "localtime", "posixrules", "",
            "'; drop", "UTC\0", String(repeating: "a", count: 100_000),
        ]
        #expect(try TimeZoneNames.known(names, on: connection) == [])
        #expect(try !TimeZoneNames.contains("GMT+5", on: connection))
    }

    @Test func `all names of both lists are known, and begin their days at one moment`() throws {
        let rows = try connection.query("select name from pg_catalog.pg_timezone_names")
        let database = Set((0..<rows.count).map { rows.string($0, 0) })
        let foundation = Set(TimeZone.knownTimeZoneIdentifiers)
        let known = try TimeZoneNames.known(Array(database.union(foundation)), on: connection)
        #expect(known.isSubset(of: database))
        let missing = foundation.intersection(database).subtracting(known)
        #expect(missing.isEmpty, "\(missing)")
        #expect(known.count > 400)

        var parameters = Parameters()
        parameters.append(texts: known.map(Optional.some))
        let days = try connection.query(
            """
            select z.name, extract(epoch from d at time zone z.name)::int8, to_char(d, 'YYYY-MM-DD')
            from unnest($1) z (name)
            cross join generate_series(
                date_trunc('year', now() at time zone 'UTC'),
                date_trunc('year', now() at time zone 'UTC') + interval '51 weeks', '1 week') d
            """, parameters)
        #expect(days.count == known.count * 52)
        var differing: Set<String> = []
        for row in 0..<days.count {
            let zone = try #require(TimeZone(identifier: days.string(row, 0)))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = zone
            let begin = Date(timeIntervalSince1970: TimeInterval(days.int64(row, 1)))
            let parts = calendar.dateComponents([.year, .month, .day, .hour], from: begin)
            let day = String(
                format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            if day != days.string(row, 2) || parts.hour != 0 { differing.insert(zone.identifier) }
        }
        #expect(differing.isEmpty, "\(differing)")
    }
}
