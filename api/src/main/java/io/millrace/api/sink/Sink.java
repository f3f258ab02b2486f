package io.millrace.api.sink;

import java.io.Serializable;

/**
 * Takes records in one or more parallel instances. A sink whose writers have state is a {@link
 * StatefulSink}; one that makes its output visible exactly once is a {@link CommittingSink}. A sink
 * may be both.
 *
 * <pre>{@code
 * // Writes each order as a line to a named pipe.
 * class PipeSink implements Sink<Order> {
 *   public SinkWriter<Order> createWriter(SinkContext context) throws IOException {
 *     Writer out = Files.newBufferedWriter(Path.of("/run/orders.pipe"));
 *     return new SinkWriter<>() {
 *       public void write(Order order) throws IOException {
 *         out.write(order.customer() + ";" + order.cents() + "\n");
 *       }
 *
 *       public void flush(boolean endOfInput) throws IOException {
 *         out.flush();
 *       }
 *
 *       public void close() throws IOException {
 *         out.close();
 *       }
 *     };
 *   }
 * }
 *
 * orders.sinkTo(new PipeSink());
 * }</pre>
 */
public interface Sink<T> extends Serializable {
  /** Creates the writer of one instance. */
  SinkWriter<T> createWriter(SinkContext context) throws Exception;
}
