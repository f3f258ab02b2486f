package io.millrace.dataplane.operator;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import java.util.ArrayList;
import java.util.List;

/**
 * A cached data set as a source; its partitions are the splits. Created in the task, never sent.
 */
final class CachedPartitionSource implements Source<Object, SourceSplit> {
  private static final long serialVersionUID = 1L;

  private final transient TaskEnvironment task;
  private final OperatorSpec.ReadCached from;

  CachedPartitionSource(TaskEnvironment task, OperatorSpec.ReadCached from) {
    this.task = task;
    this.from = from;
  }

  @Override
  public boolean isBounded() {
    return true;
  }

  /** Each reader has a range, so that every partition has one reader at any parallelism. */
  @Override
  public List<SourceSplit> initialSplits(SourceContext context) {
    long partitions = from.places().size();
    int first = (int) (partitions * context.subtask() / context.parallelism());
    int end = (int) (partitions * (context.subtask() + 1) / context.parallelism());
    List<SourceSplit> splits = new ArrayList<>();
    for (int partition = first; partition < end; partition++) {
      splits.add(new CachedPartitionReader.Position(partition, 0));
    }
    return splits;
  }

  @Override
  public SourceReader<Object, SourceSplit> createReader(SourceContext context) {
    return new CachedPartitionReader(task, from, context);
  }
}
