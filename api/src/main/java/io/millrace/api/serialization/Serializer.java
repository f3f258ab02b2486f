package io.millrace.api.serialization;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.Serializable;

/**
 * Writes and reads objects of one class, wherever records hold them. Travels with the job; each
 * thread that writes or reads has a copy of its own.
 *
 * <pre>{@code
 * env.registerSerializer(Money.class, new MoneySerializer());
 * }</pre>
 *
 * @param <T> the class, not the ones below it
 */
public interface Serializer<T> extends Serializable {
  void write(T value, DataOutput out) throws IOException;

  /** Reads what {@link #write} wrote, all of it. */
  T read(DataInput in) throws IOException;
}
