import Glibc
import ScannerSupport

/// The entry point of libFuzzer: traps if scanner and reference disagree.
///
/// `FuzzCase` defines the meaning of the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let difference = FuzzCase(bytes).difference() {
        fatalError("scanner and reference disagree: \(difference)")
    }
    return 0
}

/// Generated bodies, used as the first inputs and for splicing.
private let seeds = FuzzCase.seeds(count: 400)

/// Half of the mutations know JSON and telemetry; the others are libFuzzer's own.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ countMax: Int, _ seed: CUnsignedInt
) -> Int {
    guard seed % 2 == 0, count > 2 else { return mutateAnyhow(start, count, countMax) }
    let bytes = UnsafeMutableBufferPointer(start: start, count: countMax)
    var mutator = BodyMutator(seed: UInt64(seed))
    let other = seeds[Int(seed / 2) % seeds.count].dropFirst(2)
    let body = mutator.mutated(Array(bytes[2..<count]), with: Array(other)).prefix(countMax - 2)
    _ = bytes[2...].update(fromContentsOf: body)
    return 2 + body.count
}

@_silgen_name("LLVMFuzzerMutate")
private func mutateAnyhow(_ start: UnsafeMutablePointer<UInt8>, _ count: Int, _ countMax: Int)
    -> Int

/// Writes the seeds into the directory that `SLUICE_FUZZ_SEEDS` names.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(
    _: UnsafeMutablePointer<CInt>,
    _: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    guard let directory = getenv("SLUICE_FUZZ_SEEDS") else { return 0 }
    for (number, seed) in seeds.enumerated() {
        let path = "\(String(cString: directory))/seed-\(number)"
        guard let file = fopen(path, "w") else { fatalError("can't write \(path): \(errno)") }
        fwrite(seed, 1, seed.count, file)
        fclose(file)
    }
    return 0
}
