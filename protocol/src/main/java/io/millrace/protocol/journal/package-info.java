/**
 * The events of the journal. {@link io.millrace.protocol.journal.JournalEvent} is the sealed
 * hierarchy, grouped by component. The journal itself is in {@code io.millrace.rpc.journal},
 * because every environment has one; it stores events without knowing their types. An entry holds
 * its event as a {@code Record}, which the codec writes by its number in the class table: {@link
 * io.millrace.protocol.Messages} lists all events, so that REST answers and archives can contain
 * them, and nothing else is decoded.
 */
package io.millrace.protocol.journal;
