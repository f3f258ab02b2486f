package io.millrace.api.format;

import java.io.Serializable;

/**
 * Parses the bytes of one message of an outside system. Travels with the job; each subtask has a
 * copy of its own, which one thread at a time calls.
 *
 * @param <T> the records
 */
@FunctionalInterface
public interface DeserializationSchema<T> extends Serializable {
  /**
   * Parses one message, all of it. An exception says that the message is not in this format; the
   * connector decides what happens with the message.
   *
   * @return never null
   */
  T deserialize(byte[] message) throws Exception;
}
