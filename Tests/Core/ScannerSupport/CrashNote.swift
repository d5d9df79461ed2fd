#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The C function `write`, under a name that ``CrashNote`` does not use itself.
private let put = write

/// Prints which input was being tried when the process traps, because after a trap the test can't.
///
/// The signal handler writes one line for each note in use, then passes the signal to the former
/// handler, such as the runtime's backtracer.
public struct CrashNote: ~Copyable {
    private static let slotsMax = 8
    // Guard: each slot is written by one test, and read only by a process that is about to die.
    nonisolated(unsafe) private static let slots = {
        let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: slotsMax)
        slots.initialize(repeating: UInt64.max, count: slotsMax)
        return slots
    }()
    private let slot: Int

    /// - Parameter slot: 0…7, different for each test that runs at the same time.
    public init(slot: Int) {
        precondition((0..<Self.slotsMax).contains(slot), "BUG: slot=\(slot)")
        self.slot = slot
        _ = Self.slots
        _ = Self.isInstalled
    }

    // Guard: written once, before any handler that reads it is installed.
    nonisolated(unsafe) private static var former: [sigaction] = []
    private static let numbers = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS]

    private static let isInstalled = {
        for number in numbers {
            var action = sigaction()
            sigaction(number, nil, &action)
            former.append(action)
        }
        for number in numbers {
            // The former handler runs when the same instruction fails once more.
            signal(number) { number in
                CrashNote.writeAll()
                for (index, known) in numbers.enumerated() where known == number {
                    sigaction(number, &former[index], nil)
                }
            }
        }
        return true
    }()

    /// Sets the input that is tried from now on, until the next call or the end of this note.
    public func note(input: UInt64) {
        Self.slots[slot] = input
    }

    deinit {
        Self.slots[slot] = UInt64.max
    }

    /// Makes only calls that a signal handler may make: no allocation, no lock.
    private static func writeAll() {
        for slot in 0..<slotsMax where slots[slot] != UInt64.max {
            write("crashed while trying input ")
            write(number: slots[slot])
            write(" of fuzz test ")
            write(number: UInt64(slot))
            write("\n")
        }
    }

    private static func write(_ text: StaticString) {
        _ = put(2, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func write(number: UInt64) {
        var divisor: UInt64 = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            var digit = UInt8(ascii: "0") + UInt8(number / divisor % 10)
            _ = put(2, &digit, 1)
            divisor /= 10
        }
    }
}
