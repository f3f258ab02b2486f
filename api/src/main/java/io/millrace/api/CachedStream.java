package io.millrace.api;

import io.millrace.core.id.DataSetId;

/**
 * A stream whose records are cached in the cluster. The first job that uses it computes and stores
 * them; later jobs of the same environment read them. They stay until {@link #invalidate}, until
 * the environment is closed or the program ends, or until a TaskManager that stores some of them is
 * lost; the next job that uses the stream then computes them again.
 *
 * <pre>{@code
 * CachedStream<Order> large = orders.filter(order -> order.cents() > 100_000).cache();
 * large.print();
 * env.execute("computes the records");
 * large.keyBy(Order::customer).count().print();
 * env.execute("reads them again");
 * }</pre>
 *
 * @param <T> the records
 */
public final class CachedStream<T> extends DataStream<T> {
  private final DataSetId dataSet;

  CachedStream(PendingTransformation node, DataSetId dataSet) {
    super(node);
    this.dataSet = dataSet;
  }

  /** The id of the cached data set. */
  public DataSetId dataSet() {
    return dataSet;
  }

  /** Deletes the cached records; returns when they are deleted. */
  public void invalidate() {
    node().environment().release(dataSet);
  }
}
