/// The series that count what is set aside by reason. Scanner and lanes each add their own to it: a
/// lane's have the label `found_by`.
public enum QuarantineSeries {
    /// The family's.
    public static let name = "sluice_quarantined_readings_total"
    /// The family's; all who register in it say the same.
    public static let help = "Readings that were set aside, by reason and by who found it."
}
