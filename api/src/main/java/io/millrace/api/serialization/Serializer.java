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
 * class OrderSerializer implements Serializer<Order> {
 *   public void write(Order order, DataOutput out) throws IOException {
 *     out.writeUTF(order.customer());
 *     out.writeLong(order.time());
 *     out.writeLong(order.cents());
 *   }
 *
 *   public Order read(DataInput in) throws IOException {
 *     return new Order(in.readUTF(), in.readLong(), in.readLong());
 *   }
 * }
 *
 * env.registerSerializer(Order.class, new OrderSerializer());
 * }</pre>
 *
 * @param <T> the class, not the ones below it
 */
public interface Serializer<T> extends Serializable {
  void write(T value, DataOutput out) throws IOException;

  /** Reads what {@link #write} wrote, all of it. */
  T read(DataInput in) throws IOException;
}
