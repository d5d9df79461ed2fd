import Fleet
import Oracle

/// An operator's trigger fails about every third COPY with a transient error.
struct TriggerFails: Fault {
    let name = "trigger-errors"
    let summary = "a trigger that fails about every third COPY with a transient error"

    private static let states = ["40001", "40P01", "53100", "53200", "55P03", "58030"]

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let session = try rig.database.session()
        let state = Self.states[Int(random.next() % UInt64(Self.states.count))]
        let table = ["gps", "vital", "event"][Int(random.next() % 3)]
        try session.execute(
            """
            create or replace function public.fail_at_times() returns trigger
            language plpgsql as $$
            begin
                if random() < 0.33 then raise exception 'at times' using errcode = '\(state)'; end if;
                return null;
            end $$;
            create trigger at_times before insert on sluice.\(table)
                for each statement execute function public.fail_at_times();
            """)
        rig.hold(seconds: random.seconds(1...4))
        try session.execute("drop trigger at_times on sluice.\(table)")
        return "\(state) in \(table)"
    }
}
