package io.millrace.api;

import io.millrace.core.id.DataSetId;

/**
 * A stream whose records stay in the cluster: the first job that uses it computes and keeps them,
 * later jobs of the same environment read them from where they are instead of computing them again.
 * They are kept until {@link #invalidate}, until the environment is closed or the program ends, or
 * until a TaskManager that has some of them is lost; the next job that uses the stream then
 * computes them anew.
 *
 * @param <T> the records
 */
public final class CachedStream<T> extends DataStream<T> {
  private final DataSetId dataSet;

  CachedStream(PendingTransformation node, DataSetId dataSet) {
    super(node);
    this.dataSet = dataSet;
  }

  /** Under which the cluster lists what it keeps. */
  public DataSetId dataSet() {
    return dataSet;
  }

  /** Lets the cluster forget the records; returns when it has. */
  public void invalidate() {
    node().environment().release(dataSet);
  }
}
