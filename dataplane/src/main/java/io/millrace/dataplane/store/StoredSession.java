package io.millrace.dataplane.store;

/**
 * A session of a key.
 *
 * @param fired whether it was emitted
 */
public record StoredSession(long start, long end, boolean fired, Object content) {}
