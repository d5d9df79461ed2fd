public import Readings

/// The ways in which a simulated reading is malformed: one for each kind of check.
public enum Malformation: Int, CaseIterable, Sendable {
    case latitudeTooFarNorth, longitudeAbsent, latitudeWord, accuracyTrue, accuracyInfinite
    case altitudeInfinite, speedTooHigh, courseTooLarge, courseWord
    case typeUnknown, typeAbsent
    case timeAbsent, timeWord, timeNoSuchDay, timeFarAhead, timeLongAgo
    case codeTooLarge, codeFraction, valueNull, valueWord, valueTooLarge
    case labelEmpty, labelWithNul, labelTooLong, textNumber, textLoneSurrogate
    case metadataArray, metadataHugeNumber
    case keyTwice, deviceIDEmpty, nestedTooDeep

    /// The reason that the answer and the quarantine must give.
    public var reason: QuarantineReason {
        switch self {
        case .latitudeTooFarNorth: .latitudeOutOfRange
        case .longitudeAbsent: .longitudeMissing
        case .latitudeWord: .latitudeInvalid
        case .accuracyTrue: .accuracyInvalid
        case .accuracyInfinite: .accuracyOutOfRange
        case .altitudeInfinite: .altitudeOutOfRange
        case .speedTooHigh: .speedOutOfRange
        case .courseTooLarge: .courseOutOfRange
        case .courseWord: .courseInvalid
        case .typeUnknown: .typeUnknown
        case .typeAbsent: .typeMissing
        case .timeAbsent: .timeMissing
        case .timeWord, .timeNoSuchDay: .timeInvalid
        case .timeFarAhead: .timeInFuture
        case .timeLongAgo: .timeTooOld
        case .codeTooLarge: .codeOutOfRange
        case .codeFraction: .codeInvalid
        case .valueNull: .valueMissing
        case .valueWord: .valueInvalid
        case .valueTooLarge: .valueOutOfRange
        case .labelEmpty: .labelInvalid
        case .labelWithNul: .labelContainsNul
        case .labelTooLong: .labelTooLong
        case .textNumber, .textLoneSurrogate: .valueTextInvalid
        case .metadataArray: .metadataInvalid
        case .metadataHugeNumber: .metadataNumberOutOfRange
        case .keyTwice: .duplicateKey
        case .deviceIDEmpty: .deviceIDInvalid
        case .nestedTooDeep: .nestedTooDeep
        }
    }

    /// The fields that follow `"n":N,` and the time.
    var fields: String {
        switch self {
        case .latitudeTooFarNorth: #""type":"gps","lat":91.25,"lon":8.5"#
        case .longitudeAbsent: #""type":"gps","lat":47.25"#
        case .latitudeWord: #""type":"gps","lat":"north","lon":8.5"#
        case .accuracyTrue: #""type":"gps","lat":47.25,"lon":8.5,"acc":true"#
        case .accuracyInfinite: #""type":"gps","lat":47.25,"lon":8.5,"acc":1e999"#
        case .altitudeInfinite: #""type":"gps","lat":47.25,"lon":8.5,"alt":1e309"#
        case .speedTooHigh: #""type":"gps","lat":47.25,"lon":8.5,"speed":8589.01"#
        case .courseTooLarge: #""type":"gps","lat":47.25,"lon":8.5,"course":1000.01"#
        case .courseWord: #""type":"gps","lat":47.25,"lon":8.5,"course":"north""#
        case .typeUnknown: #""type":"pressure","val":1013"#
        case .typeAbsent: #""code":1,"val":72"#
        case .timeAbsent, .timeWord, .timeNoSuchDay, .timeFarAhead, .timeLongAgo:
            #""type":"vital","code":1,"val":72"#
        case .codeTooLarge: #""type":"vital","code":40000,"val":72"#
        case .codeFraction: #""type":"vital","code":1.5,"val":72"#
        case .valueNull: #""type":"vital","code":1,"val":null"#
        case .valueWord: #""type":"vital","code":1,"val":"n/a""#
        case .valueTooLarge: #""type":"vital","code":1,"val":1.7976931348623157e308"#
        case .labelEmpty: #""type":"event","label":"""#
        case .labelWithNul: #""type":"event","label":"a\u0000b""#
        case .labelTooLong: #""type":"event","label":""# + String(repeating: "x", count: 300) + "\""
        case .textNumber: #""type":"event","label":"motion_state","val_text":5"#
        case .textLoneSurrogate: #""type":"event","label":"motion_state","val_text":"\ud800""#
        case .metadataArray: #""type":"event","label":"motion_state","metadata":[1]"#
        case .metadataHugeNumber: #""type":"event","label":"motion_state","metadata":{"v":1e999}"#
        case .keyTwice: #""type":"vital","code":1,"val":72,"val":73"#
        case .deviceIDEmpty: #""type":"vital","code":1,"val":72,"device_id":"""#
        case .nestedTooDeep:
            #""type":"vital","code":1,"val":72,"extra":"# + String(repeating: "[", count: 80)
                + String(repeating: "]", count: 80)
        }
    }

    /// What is sent as `t`.
    enum Time {
        case right
        case absent
        case instead(String)
    }

    var time: Time {
        switch self {
        case .timeAbsent: .absent
        case .timeWord: .instead("yesterday")
        case .timeNoSuchDay: .instead("2026-02-30T12:00:00Z")
        case .timeFarAhead: .instead("9998-12-31T23:59:59Z")
        case .timeLongAgo: .instead("2001-01-01T00:00:00Z")
        default: .right
        }
    }
}
