package io.millrace.protocol.reason;

/**
 * The reason of a decision or a state: why slots are missing, why a worker or a leader is lost, why
 * a request is refused, why a job changes its status. A reason is a value. Code matches on its type
 * and reads its fields; {@link io.millrace.protocol.text.ReasonText} renders it for people.
 */
public sealed interface Reason
    permits SlotReason,
        WorkerReason,
        PeerReason,
        JobReason,
        ConfigurationReason,
        DriverReason,
        ErrorReason {}
