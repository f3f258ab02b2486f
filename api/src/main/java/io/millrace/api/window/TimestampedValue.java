package io.millrace.api.window;

import java.io.Serializable;

/**
 * A record of a window with its timestamp.
 *
 * @param timestamp {@link io.millrace.api.time.Timestamps#NONE} if it has none
 */
public record TimestampedValue<T>(T value, long timestamp) implements Serializable {}
