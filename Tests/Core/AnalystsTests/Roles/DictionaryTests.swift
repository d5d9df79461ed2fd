import Postgres
import TestSupport
import Testing

/// Analysts use `\d+` as their data dictionary.
@Suite(.timeLimit(.minutes(10)))
struct DictionaryTests {
    @Test func `every relation, column and function in analytics has a comment`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "dictionary")
        let rows = try connection.query(
            """
            SELECT c.relname || coalesce('.' || a.attname, '')
            FROM pg_class c
            LEFT JOIN LATERAL (
                SELECT NULL::name AS attname, 0 AS attnum
                UNION ALL
                SELECT attname, attnum FROM pg_attribute
                WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
            ) a ON true
            WHERE c.relnamespace = 'analytics'::regnamespace
                AND coalesce(CASE WHEN a.attnum = 0 THEN obj_description(c.oid, 'pg_class')
                    ELSE col_description(c.oid, a.attnum) END, '') = ''
            UNION ALL
            SELECT p.oid::regprocedure::text FROM pg_proc p
            WHERE p.pronamespace = 'analytics'::regnamespace
                AND coalesce(obj_description(p.oid, 'pg_proc'), '') = ''
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == [])
        let views = try connection.query(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'analytics'::regnamespace")
        #expect(views.int64(0, 0) >= 35)
    }

    @Test func `each view has one line in the list of views`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "dictionary")
        let rows = try connection.query(
            """
            SELECT relname || ': ' || obj_description(oid) FROM pg_class
            WHERE relnamespace = 'analytics'::regnamespace
                AND (length(obj_description(oid)) > 80 OR obj_description(oid) LIKE E'%\\n%')
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == [])
    }
}
