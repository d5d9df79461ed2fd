import Foundation
import Ingest
import Instruments
import Postgres

/// A kind of units as an application might define it: notes, of which the newest version of an id
/// is kept.
enum Notes {
    static let kind = UnitKind(
        name: "note", statement: "SELECT place, result FROM store_notes($1)")

    /// `note_order` holds the payloads in the order in which the function received them.
    static let schema = """
        CREATE TABLE note (id text PRIMARY KEY, at bigint NOT NULL, body text NOT NULL,
            CHECK (body <> 'bad'));
        CREATE TABLE note_order (number bigserial, owner text, id text);
        CREATE FUNCTION store_notes(payloads text[]) RETURNS TABLE (place int, result text)
        LANGUAGE plpgsql AS $$
        DECLARE
            payload jsonb;
            known note;
        BEGIN
            FOR index IN 1 .. cardinality(payloads) LOOP
                payload := payloads[index]::jsonb;
                INSERT INTO note_order (owner, id) VALUES (payload ->> 'owner', payload ->> 'id');
                known := NULL;
                SELECT * INTO known FROM note WHERE id = payload ->> 'id' FOR UPDATE;
                result := CASE
                    WHEN known.id IS NULL THEN 'stored'
                    WHEN known.at > (payload ->> 'at')::bigint THEN 'older'
                    WHEN known.body = payload ->> 'body' THEN 'same'
                    ELSE 'replaced' END;
                INSERT INTO note AS n (id, at, body)
                VALUES (payload ->> 'id', (payload ->> 'at')::bigint, payload ->> 'body')
                ON CONFLICT (id) DO UPDATE SET at = excluded.at, body = excluded.body
                    WHERE excluded.at >= n.at;
                place := index;
                RETURN NEXT;
            END LOOP;
        END
        $$;
        """

    static func unit(
        _ id: String, _ body: String = "text", at: Int = 1, owner: String = "o",
        kind: UnitKind = kind
    ) -> WorkUnit {
        WorkUnit(
            kind: kind, owner: owner,
            payload: """
                {"id":"\(id)","at":\(at),"body":"\(body)","owner":"\(owner)"}
                """)
    }
}

extension Bench {
    /// A bench on a fresh database that takes notes.
    static func withNotes(
        _ name: String, _ configuration: IngestionConfiguration = unhurried
    ) async throws -> Bench {
        let bench = try await fresh(name, configuration)
        try bench.connection().execute(Notes.schema)
        return bench
    }

    /// One lane: everything that is dispatched together is one group.
    static var single: IngestionConfiguration {
        var configuration = unhurried
        configuration.lanes = 1
        return configuration
    }

    /// The value of one series on the metrics page.
    func metric(_ series: String) -> Int? {
        registry.render().split(separator: "\n").first { $0.hasPrefix(series + " ") }
            .flatMap { Int($0.dropFirst(series.count + 1)) }
    }
}
