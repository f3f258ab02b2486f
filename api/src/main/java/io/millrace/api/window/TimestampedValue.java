package io.millrace.api.window;

import java.io.Serializable;

/**
 * A record of a window with its timestamp.
 *
 * <pre>{@code
 * // Removes orders that are older than their window.
 * Evictor<Order> current =
 *     (records, window, context) ->
 *         records.removeIf(record -> record.timestamp() < window.start());
 * }</pre>
 *
 * @param timestamp {@link io.millrace.api.time.Timestamps#NONE} if it has none
 */
public record TimestampedValue<T>(T value, long timestamp) implements Serializable {}
