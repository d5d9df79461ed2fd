/// Why a reading was quarantined. The raw value is in the answer, the table and the metrics.
///
/// Checks run in the order of the cases, so a reading with several faults always gets the same
/// reason, whatever the order of its keys.
public enum QuarantineReason: String, CaseIterable, Sendable {
    // The reading as a whole.
    case lineInvalid = "line_invalid"
    case readingTooLarge = "reading_too_large"
    case nestedTooDeep = "nested_too_deep"
    case duplicateKey = "duplicate_key"
    case typeMissing = "type_missing"
    case typeUnknown = "type_unknown"
    case timeMissing = "t_missing"
    case timeInvalid = "t_invalid"
    case timeInFuture = "t_in_future"
    case timeTooOld = "t_too_old"
    case deviceIDInvalid = "device_id_invalid"
    case deviceIDMissing = "device_id_missing"
    case userIDInvalid = "user_id_invalid"

    case latitudeMissing = "lat_missing"
    case latitudeInvalid = "lat_invalid"
    case latitudeOutOfRange = "lat_out_of_range"
    case longitudeMissing = "lon_missing"
    case longitudeInvalid = "lon_invalid"
    case longitudeOutOfRange = "lon_out_of_range"
    case accuracyInvalid = "acc_invalid"
    case accuracyOutOfRange = "acc_out_of_range"
    case altitudeInvalid = "alt_invalid"
    case altitudeOutOfRange = "alt_out_of_range"
    case verticalAccuracyInvalid = "vacc_invalid"
    case verticalAccuracyOutOfRange = "vacc_out_of_range"
    case speedInvalid = "speed_invalid"
    case speedOutOfRange = "speed_out_of_range"
    case courseInvalid = "course_invalid"
    case courseOutOfRange = "course_out_of_range"

    case codeMissing = "code_missing"
    case codeInvalid = "code_invalid"
    case codeOutOfRange = "code_out_of_range"
    case metricInvalid = "metric_invalid"
    /// The name is new, and its key or its batch has brought too many.
    case metricTooMany = "metric_too_many"
    case valueMissing = "val_missing"
    case valueInvalid = "val_invalid"
    case valueOutOfRange = "val_out_of_range"

    case labelMissing = "label_missing"
    case labelInvalid = "label_invalid"
    case labelTooLong = "label_too_long"
    case labelContainsNul = "label_contains_nul"
    case valueTextInvalid = "val_text_invalid"
    case valueTextTooLong = "val_text_too_long"
    case valueTextContainsNul = "val_text_contains_nul"
    case metadataInvalid = "metadata_invalid"
    case metadataTooLong = "metadata_too_long"
    case metadataContainsNul = "metadata_contains_nul"
    case metadataNumberOutOfRange = "metadata_number_out_of_range"

    /// The scanner accepted it, but a constraint or trigger of the operator's did not.
    case refusedByDatabase = "refused_by_database"
    /// PostgreSQL refused it together with other readings of its batch, and too many were refused
    /// to try each. If requeued, it is stored if it is good.
    case refusedWithOthers = "refused_with_others"
    /// Another device id already owns the 64-bit key of this one.
    case deviceKeyClash = "device_key_clash"
}
