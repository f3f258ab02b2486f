package io.millrace.cluster;

import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;

/**
 * Checks the memory of the channels between the tasks of a job that runs in one process. The number
 * of channels grows with the square of the parallelism. A process without memory for them spends so
 * much time in garbage collection that its calls time out.
 */
final class ChannelMemoryCheck {
  /** The end-of-input element in flight, and the state of the channel at the producer. */
  private static final int BYTES_PER_CHANNEL = 100;

  /** The rest of the heap is for records and tasks. */
  private static final double HEAP_FRACTION = 0.5;

  private ChannelMemoryCheck() {}

  /** Rejects a job with too many channels for a heap of this size. */
  static void check(JobGraph graph, long heapBytes) {
    long all = 0;
    long most = 0;
    String widest = "";
    for (JobEdge edge : graph.edges()) {
      JobVertex source = graph.vertex(edge.source());
      JobVertex target = graph.vertex(edge.target());
      long channels = channels(edge, source, target);
      all += channels;
      if (channels > most) {
        most = channels;
        widest =
            "%d x %d from '%s' to '%s'"
                .formatted(
                    source.parallelism(), target.parallelism(), source.name(), target.name());
      }
    }
    if ((double) all * BYTES_PER_CHANNEL > HEAP_FRACTION * heapBytes) {
      throw new MillraceException(
          ErrorKind.USER,
          "Job '"
              + graph.name()
              + "' has "
              + all
              + " channels between its tasks ("
              + widest
              + "), which take about "
              + new MemorySize(all * BYTES_PER_CHANNEL)
              + " in one process; this one has a heap of "
              + new MemorySize(heapBytes)
              + ". Lower the parallelism, or start it with more memory (JVM_ARGS=-Xmx…).");
    }
  }

  private static long channels(JobEdge edge, JobVertex source, JobVertex target) {
    boolean isPointwise =
        edge.partitioning() == Partitioning.FORWARD || edge.partitioning() == Partitioning.RESCALE;
    return isPointwise
        ? Math.max(source.parallelism(), target.parallelism())
        : (long) source.parallelism() * target.parallelism();
  }
}
