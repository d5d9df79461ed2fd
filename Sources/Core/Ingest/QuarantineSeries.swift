import Readings
import Scanner

/// The series that count quarantined readings by reason. The scanner and the lanes each register
/// their own; a lane's have the label `found_by`.
public enum QuarantineSeries {
    /// The family's name.
    public static let name = "sluice_quarantined_readings_total"
    /// The family's help text, the same wherever it is registered.
    public static let help = "Readings that were set aside, by reason and by who found it."
}
