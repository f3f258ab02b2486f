package io.millrace.api.format;

import java.io.Serializable;

/**
 * Parses the bytes of one message of an outside system. Travels with the job; each subtask has a
 * copy of its own, which one thread at a time calls.
 *
 * <pre>{@code
 * DeserializationSchema<Order> format =
 *     message -> {
 *       String[] fields = new String(message, StandardCharsets.UTF_8).split(";");
 *       return new Order(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]));
 *     };
 * env.fromSource(FileSource.of(LineFormat.reading(format), "orders.txt"), "orders").print();
 * }</pre>
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface DeserializationSchema<T> extends Serializable {
  /**
   * Parses one message, all of it. An exception says that the message is not in this format; the
   * connector decides what happens with the message. A {@link
   * io.millrace.core.error.MillraceException} of the kind EXTERNAL says something else: a system
   * that the format needs, such as a schema registry, does not answer. It fails the task.
   *
   * @return never null
   */
  T deserialize(byte[] message) throws Exception;
}
