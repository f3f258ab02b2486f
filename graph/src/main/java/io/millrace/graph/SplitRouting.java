package io.millrace.graph;

import io.millrace.api.function.KeySelector;
import io.millrace.api.function.Partitioner;
import io.millrace.api.operator.SplitAssignment;

/** Sends the splits that an enumerator assigns to the reader that they are assigned to. */
final class SplitRouting implements KeySelector<Object, Object>, Partitioner<Object> {
  private static final long serialVersionUID = 1L;

  private SplitRouting() {}

  static CustomPartitioning partitioning() {
    SplitRouting routing = new SplitRouting();
    return new CustomPartitioning(routing, routing);
  }

  @Override
  public Object key(Object assignment) {
    return ((SplitAssignment) assignment).reader();
  }

  /** An assignment that was on its way in a checkpoint may be for a reader that is not there. */
  @Override
  public int partition(Object reader, int readers) {
    return (Integer) reader % readers;
  }
}
