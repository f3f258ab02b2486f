package io.millrace.dataplane.wire;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.partition.PartitionChunk;
import io.millrace.task.ClusterPartition;
import java.util.concurrent.CompletableFuture;

/**
 * A request for a chunk of a partition.
 *
 * @param most the maximum number of bytes in the answer
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
