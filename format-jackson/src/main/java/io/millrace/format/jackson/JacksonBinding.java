package io.millrace.format.jackson;

import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.Serializable;

/**
 * Reads and writes objects of one class. Jackson's readers do not travel with a job once they were
 * used: each copy creates its own, when it needs them first.
 */
final class JacksonBinding<T> implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Creates reader and writer; travels with the job. */
  interface Settings extends Serializable {
    ObjectReader reader();

    ObjectWriter writer();
  }

  private final Class<T> type;
  private final Settings settings;
  private transient ObjectReader reader;
  private transient ObjectWriter writer;

  JacksonBinding(Class<T> type, Settings settings) {
    this.type = type;
    this.settings = settings;
  }

  /** Refuses a message without a value: a record is never null. */
  T read(byte[] message) throws IOException {
    if (reader == null) {
      reader = settings.reader();
    }
    T value = message.length == 0 ? null : reader.readValue(message);
    if (value == null) {
      throw new MillraceException(
          ErrorKind.USER,
          "The message has no " + type.getSimpleName() + ": it is empty or the value null.");
    }
    return value;
  }

  byte[] write(T value) throws IOException {
    if (writer == null) {
      writer = settings.writer();
    }
    return writer.writeValueAsBytes(value);
  }
}
