public import Readings

/// A fleet: its devices, and any of their readings on demand.
public struct FleetModel: Sendable {
    /// The parameters of the fleet.
    public let profile: FleetProfile
    /// Indexed by device number.
    public let devices: [SimulatedDevice]
    /// Indexed by device number.
    public let traits: [DeviceTraits]

    /// Creates all devices; readings are computed on demand.
    public init(_ profile: FleetProfile) {
        precondition(profile.devices > 0, "BUG: devices=\(profile.devices)")
        precondition(profile.tickSeconds > 0, "BUG: tickSeconds=\(profile.tickSeconds)")
        precondition(
            (1...5).contains(profile.readingsPerTick), "BUG: \(profile.readingsPerTick)")
        self.profile = profile
        devices = (0..<profile.devices).map { SimulatedDevice(number: $0, profile: profile) }
        traits = devices.map(\.traits)
    }

    /// The fault of a reading; nil: it is well-formed.
    public func malformation(device: Int, sequence: Int) -> Malformation? {
        malformation(hash: mixed(traits[device].salt &+ UInt64(sequence)))
    }

    @inline(__always)
    private func malformation(hash: UInt64) -> Malformation? {
        guard profile.malformedPerMillion > 0 else { return nil }
        let draw = mixed(hash ^ 0xBAD)
        guard Int(draw % 1_000_000) < profile.malformedPerMillion else { return nil }
        let ways = Malformation.allCases
        return ways[Int((draw / 1_000_000) % UInt64(ways.count))]
    }

    /// Sequence numbers of the readings of `device` that can have this time; empty if none can.
    public func candidates(device: Int, time: Timestamp) -> Range<Int> {
        let offset = time.microseconds - firstTick(of: device)
        guard offset >= 0 else { return 0..<0 }
        let tick = Int(offset / (profile.tickSeconds * 1_000_000))
        return tick * profile.readingsPerTick..<(tick + 1) * profile.readingsPerTick
    }

    private func firstTick(of device: Int) -> Int64 {
        profile.start.microseconds + traits[device].skewSeconds * 1_000_000
    }

    @inline(__always)
    func reading(device number: Int, sequence: Int) -> SimulatedReading {
        let device = traits[number]
        let hash = mixed(device.salt &+ UInt64(sequence))
        let tick = sequence / profile.readingsPerTick
        // The place in the tick enters the content, so that no two readings of a tick are equal.
        let place = sequence - tick * profile.readingsPerTick
        var time = firstTick(of: number) + Int64(tick) * profile.tickSeconds * 1_000_000
        var bits = BitPurse(hash)
        let draw = bits.take(below: 100)
        let spelling = mixed(hash ^ 0x5E11)
        let tickHash = profile.readingsPerTick == 1 ? hash : mixed(device.salt ^ UInt64(tick))
        if profile.spelling == .plain {
            time += Int64((tickHash >> 40) % UInt64(profile.tickSeconds)) * 1_000_000
        } else {
            time += Int64((tickHash >> 20) % UInt64(profile.tickSeconds * 1_000_000))
            time = TimeForm(bits: spelling).rounded(time)
        }
        let content = self.content(
            draw: draw, bits: &bits, tickHash: tickHash, place: place, device: device)
        let isFromWatch =
            profile.watchPerMillion > 0
            && Int(mixed(hash ^ 0x3A7C) % 1_000_000) < profile.watchPerMillion
        return SimulatedReading(
            sequence: sequence, time: Timestamp(microseconds: time), content: content,
            isFromWatch: isFromWatch, malformation: malformation(hash: hash),
            spellingBits: spelling)
    }

    @inline(__always)
    private func content(
        draw: Int, bits: inout BitPurse, tickHash: UInt64, place: Int, device: DeviceTraits
    ) -> SimulatedReading.Content {
        let isPlain = profile.spelling == .plain
        if draw < profile.gpsPercent {
            return gps(bits: &bits, place: place, device: device, isPlain: isPlain)
        }
        if draw < profile.gpsPercent + profile.vitalPercent {
            let codes: (Int16, Int16, Int16, Int16, Int16) =
                isPlain ? (1, 2, 10, 20, 21) : (1, 2, 10, .max, .min)
            let code =
                switch (Int(tickHash >> 50) + place) % 5 {
                case 0: codes.0
                case 1: codes.1
                case 2: codes.2
                case 3: codes.3
                default: codes.4
                }
            let value = bits.take(below: 20_000)
            if !isPlain {
                switch bits.take(below: 16) {
                case 0..<4:
                    return .vital(code: code, value: .exact(wild(bits.take(below: 1 << 20))))
                case 4:
                    return .vital(code: code, value: .exact(Self.bounds[bits.take(below: 5)]))
                default: break
                }
            }
            return .vital(code: code, value: .fixed(units: Int64(value), places: 2))
        }
        let labels = isPlain ? Phrases.plainLabels : Phrases.labels.count
        let label = (Int(tickHash >> 50) + place) % labels
        let text = bits.take(below: UInt64(isPlain ? Phrases.plainTexts : Phrases.texts.count + 1))
        let hasMetadata = bits.take(below: 1_000_000) < profile.eventMetadataPerMillion
        let metadata = bits.take(
            below: UInt64(isPlain ? Phrases.plainMetadata : Phrases.metadata.count))
        return .event(
            label: label, text: text < Phrases.texts.count ? text : nil,
            metadata: hasMetadata ? metadata : nil)
    }

    @inline(__always)
    private func gps(
        bits: inout BitPurse, place: Int, device: DeviceTraits, isPlain: Bool
    ) -> SimulatedReading.Content {
        // A multiple of five plus the place: distinct from the others of its tick.
        let north = device.homeLatitude + Int64(bits.take(below: 20_000) * 5 + place)
        let east = device.homeLongitude + Int64(bits.take(below: 100_000))
        var latitude = SimulatedNumber.fixed(units: north, places: 5)
        var longitude = SimulatedNumber.fixed(units: east, places: 5)
        let metres = SimulatedNumber.fixed(units: Int64(bits.take(below: 400)), places: 1)
        guard !isPlain else {
            return .gps(
                latitude: latitude, longitude: longitude, accuracy: .metres(metres), details: nil)
        }
        let choice = bits.take(below: 16)
        if choice & 1 == 0 {
            let noise = Double(mixed(UInt64(choice) ^ UInt64(bitPattern: north)) >> 11) * 0x1p-53
            latitude = .exact(latitude.value + noise * 1e-6)
            longitude = .exact(longitude.value - noise * 1e-6)
        }
        let accuracy: SimulatedReading.Accuracy =
            switch choice >> 1 {
            case 0: .absent
            case 1: .null
            case 2: .unknown
            default: .metres(metres)
            }
        let details = mixed(UInt64(bitPattern: north &* 1_000_003 &+ east) ^ device.salt)
        switch (details >> 40) % 32 {
        // The other number differs from those of the tick.
        case 0:
            latitude = .fixed(units: (details >> 50) & 1 == 0 ? 90 : -90, places: 0)
            longitude = .fixed(units: east / 5 * 5 + Int64(place), places: 5)
        case 1: longitude = .fixed(units: (details >> 50) & 1 == 0 ? 180 : -180, places: 0)
        default: break
        }
        return .gps(
            latitude: latitude, longitude: longitude, accuracy: accuracy,
            details: !profile.hasDetails || (details >> 51) & 1 == 0
                ? nil : SimulatedDetails(bits: details))
    }

    private static let bounds = [0, 1e-100, -1e-100, 1e100, -1e100]

    /// A double of any magnitude that is accepted; its shortest text has up to 17 digits.
    @inline(never)
    private func wild(_ number: Int) -> Double {
        let bits = mixed(UInt64(number))
        let value = Double(bitPattern: bits)
        return ReadingField.magnitudes.contains(value.magnitude) ? value : Double(bits)
    }
}
