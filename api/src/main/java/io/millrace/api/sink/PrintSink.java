package io.millrace.api.sink;

import java.io.PrintStream;

/**
 * Prints each record as a line on the standard output of the process that runs the task.
 *
 * <pre>{@code
 * orders.map(Order::customer).sinkTo(new PrintSink<>()).name("customers").parallelism(1);
 * }</pre>
 */
public final class PrintSink<T> implements Sink<T> {
  private static final long serialVersionUID = 1L;

  @Override
  public SinkWriter<T> createWriter(SinkContext context) {
    PrintStream out = System.out;
    return out::println;
  }
}
