package io.millrace.api;

import java.io.Serializable;

/**
 * A record of an interval join that waits for matches.
 *
 * @param matched whether it has found one
 */
record BufferedRecord(Object record, boolean matched) implements Serializable {}
