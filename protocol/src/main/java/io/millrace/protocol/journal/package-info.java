/**
 * What the journal of decisions is about. {@link io.millrace.protocol.journal.JournalEvent} is the
 * one sealed hierarchy, grouped by component. The journal itself is in {@code
 * io.millrace.rpc.journal}, because every environment has one; it keeps entries around events
 * without knowing them. An entry holds its event as a {@code Record}, which the codec writes by its
 * number in the class table: {@link io.millrace.protocol.Messages} lists every event there, so that
 * REST answers and archives can carry them, and nothing else is decoded.
 */
package io.millrace.protocol.journal;
