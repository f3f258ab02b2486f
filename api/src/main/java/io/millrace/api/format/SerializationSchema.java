package io.millrace.api.format;

import java.io.Serializable;

/**
 * Writes a record as one message of an outside system. Travels with the job; each subtask has a
 * copy of its own, which one thread at a time calls.
 *
 * <pre>{@code
 * SerializationSchema<Order> format =
 *     order -> (order.customer() + ";" + order.cents()).getBytes(StandardCharsets.UTF_8);
 * orders.sinkTo(FileSink.to("/data/orders", LineFormat.writing(format)));
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface SerializationSchema<T> extends Serializable {
  /** The bytes of one message; the caller may keep them. */
  byte[] serialize(T record) throws Exception;
}
