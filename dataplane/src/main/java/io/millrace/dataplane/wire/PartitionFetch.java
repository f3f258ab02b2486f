package io.millrace.dataplane.wire;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import java.util.concurrent.CompletableFuture;

/**
 * A piece of a partition that was asked for.
 *
 * @param most how many bytes of it may come
 */
record PartitionFetch(
    int stream,
    ClusterPartition partition,
    long offset,
    int most,
    CompletableFuture<PartitionChunk> answer) {
  void failed(String why) {
    answer.completeExceptionally(new MillraceException(ErrorKind.EXTERNAL, why));
  }
}
