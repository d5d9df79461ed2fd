import Instruments
import Testing

@Suite struct LedgerTests {
    @Test func `every received reading has one outcome or is pending`() {
        let ledger = ReadingLedger()
        ledger.enter { $0.received += 10 }
        #expect(ledger.snapshot.pending == 10)
        ledger.enter {
            $0.stored += 4
            $0.duplicates += 2
            $0.quarantined += 1
        }
        ledger.enter { $0.refused += 2 }
        let book = ledger.snapshot
        #expect(book.received == 10)
        #expect(book.stored == 4)
        #expect(book.duplicates == 2)
        #expect(book.quarantined == 1)
        #expect(book.refused == 2)
        #expect(book.pending == 1)
    }

    @Test func `each column counts, on the metrics page as in its book`() {
        let readings = ReadingLedger()
        readings.enter {
            $0.received = 100
            ($0.stored, $0.duplicates, $0.quarantined) = (1, 2, 3)
            ($0.spooled, $0.refused) = (4, 5)
        }
        #expect(readings.snapshot.pending == 85)
        let units = UnitLedger()
        units.enter {
            $0.received = 100
            ($0.recorded, $0.spooled, $0.refused, $0.turnedAway) = (1, 2, 3, 4)
        }
        #expect(units.snapshot.pending == 90)
        let spooledReadings = SpoolLedger(SpoolBook(of: .readings))
        spooledReadings.enter {
            ($0.found, $0.written) = (60, 40)
            ($0.stored, $0.duplicates, $0.quarantined, $0.lost) = (1, 2, 3, 4)
        }
        #expect(spooledReadings.snapshot.pending == 90)
        let spooledUnits = SpoolLedger(SpoolBook(of: .units))
        spooledUnits.enter {
            ($0.found, $0.written) = (10, 5)
            ($0.stored, $0.quarantined, $0.lost) = (6, 2, 3)
        }
        #expect(spooledUnits.snapshot.pending == 4)

        let registry = Registry()
        for ledger in [readings, units, spooledReadings, spooledUnits] as [any MetricSource] {
            registry.add(ledger)
        }
        let page = registry.render().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            page == [
                "sluice_readings_received_total 100",
                #"sluice_readings_total{outcome="stored"} 1"#,
                #"sluice_readings_total{outcome="duplicate"} 2"#,
                #"sluice_readings_total{outcome="quarantined"} 3"#,
                #"sluice_readings_total{outcome="spooled"} 4"#,
                #"sluice_readings_total{outcome="refused"} 5"#,
                "sluice_readings_in_flight 85",
                "sluice_units_received_total 100",
                #"sluice_units_total{outcome="recorded"} 1"#,
                #"sluice_units_total{outcome="spooled"} 2"#,
                #"sluice_units_total{outcome="refused"} 3"#,
                #"sluice_units_total{outcome="turned_away"} 4"#,
                "sluice_units_in_flight 90",
                "sluice_spool_found_readings_total 60",
                "sluice_spool_written_readings_total 40",
                #"sluice_spool_replayed_readings_total{outcome="stored"} 1"#,
                #"sluice_spool_replayed_readings_total{outcome="duplicate"} 2"#,
                #"sluice_spool_replayed_readings_total{outcome="quarantined"} 3"#,
                "sluice_spool_set_aside_readings_total 4",
                "sluice_spool_waiting_readings 90",
                "sluice_spool_found_units_total 10",
                "sluice_spool_written_units_total 5",
                #"sluice_spool_replayed_units_total{outcome="recorded"} 6"#,
                #"sluice_spool_replayed_units_total{outcome="set_aside"} 2"#,
                "sluice_spool_lost_units_total 3",
                "sluice_spool_waiting_units 4",
            ])
    }

    @Test(.timeLimit(.minutes(10)))
    func `every snapshot adds up while many threads count`() async {
        let ledger = ReadingLedger()
        let writers = 4
        let rounds = 5_000
        var generator = SystemRandomNumberGenerator()
        let seed = generator.next()
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    var random = SplitMix(state: seed &+ UInt64(writer))
                    for _ in 0..<rounds {
                        let count = Int(random.next() % 1000)
                        ledger.enter { $0.received += count }
                        if random.next() % 4 == 0 {
                            ledger.enter { $0.refused += count }
                        } else {
                            let stored = count == 0 ? 0 : Int(random.next() % UInt64(count))
                            let duplicates = (count - stored) / 2
                            ledger.enter {
                                $0.stored += stored
                                $0.duplicates += duplicates
                                $0.quarantined += count - stored - duplicates
                            }
                        }
                    }
                }
            }
            group.addTask {
                var last = 0
                for _ in 0..<rounds {
                    let book = ledger.snapshot
                    // Each writer has at most one count pending.
                    #expect((0...writers * 999).contains(book.pending), "seed \(seed): \(book)")
                    #expect(book.received >= last, "seed \(seed)")
                    last = book.received
                }
            }
        }
        #expect(ledger.snapshot.pending == 0, "seed \(seed)")
    }

    @Test func `a count above the pending number is a bug`() async {
        await #expect(processExitsWith: .failure) {
            let ledger = ReadingLedger()
            ledger.enter { $0.received += 1 }
            ledger.enter { $0.stored += 2 }
        }
        await #expect(processExitsWith: .failure) { UnitLedger().enter { $0.recorded += 1 } }
        await #expect(processExitsWith: .failure) {
            let ledger = SpoolLedger(SpoolBook(of: .units))
            ledger.enter { $0.written += 1 }
            ledger.enter {
                $0.stored += 1
                $0.quarantined += 1
            }
        }
    }

    @Test func `a counter never goes down`() async {
        await #expect(processExitsWith: .failure) { ReadingLedger().enter { $0.received -= 1 } }
        await #expect(processExitsWith: .failure) {
            let ledger = ReadingLedger()
            ledger.enter {
                $0.received += 2
                $0.stored += 1
            }
            ledger.enter { $0.stored -= 1 }
        }
    }
}

/// A small generator whose seed decides its sequence.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
