package io.millrace.dataplane.wire;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.kept.Part;
import io.millrace.graph.task.ClusterPartition;
import java.util.concurrent.CompletableFuture;

/**
 * A piece of a partition that was asked for.
 *
 * @param most how many bytes of it may come
 */
record Fetch(
    int stream, ClusterPartition partition, long offset, int most, CompletableFuture<Part> answer) {
  void failed(String why) {
    answer.completeExceptionally(new MillraceException(ErrorKind.EXTERNAL, why));
  }
}
