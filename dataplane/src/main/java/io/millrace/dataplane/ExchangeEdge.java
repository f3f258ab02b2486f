package io.millrace.dataplane;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;

/**
 * An edge as all its channels on this host see it. Channels are computed from it, never listed: of
 * a pointwise edge (forward, rescale) a producer reaches the consumers whose share of the whole
 * overlaps its own, of any other edge all of them.
 *
 * @param output position among the edges that leave the source
 * @param input position among the edges that reach the target
 * @param sources the tasks of this host by subtask, null where a subtask runs elsewhere
 * @param targets likewise
 * @param sourceHosts index of each subtask's host in the placement
 * @param targetHosts likewise
 */
record ExchangeEdge(
    JobEdge edge,
    JobVertex source,
    JobVertex target,
    int output,
    int input,
    Task[] sources,
    Task[] targets,
    int[] sourceHosts,
    int[] targetHosts) {

  ExchangeEdge {
    if (edge.partitioning() == Partitioning.FORWARD
        && source.parallelism() != target.parallelism()) {
      throw new MillraceException(
          ErrorKind.BUG,
          "Forward edge from '"
              + source.name()
              + "' with parallelism "
              + source.parallelism()
              + " to '"
              + target.name()
              + "' with "
              + target.parallelism());
    }
  }

  private boolean isPointwise() {
    return edge.partitioning() == Partitioning.FORWARD
        || edge.partitioning() == Partitioning.RESCALE;
  }

  int firstConsumer(int producer) {
    return isPointwise() ? first(producer, source.parallelism(), target.parallelism()) : 0;
  }

  int endConsumer(int producer) {
    return isPointwise()
        ? end(producer, source.parallelism(), target.parallelism())
        : target.parallelism();
  }

  int firstProducer(int consumer) {
    return isPointwise() ? first(consumer, target.parallelism(), source.parallelism()) : 0;
  }

  int endProducer(int consumer) {
    return isPointwise()
        ? end(consumer, target.parallelism(), source.parallelism())
        : source.parallelism();
  }

  /** How many batches each channel of a producer may have in flight, where there is room. */
  int window(int producer) {
    return Math.max(2, Math.min(8, 64 / (endConsumer(producer) - firstConsumer(producer))));
  }

  /** Whether some channel of a producer ends at a host. */
  boolean leads(int producer, int host) {
    for (int consumer = firstConsumer(producer); consumer < endConsumer(producer); consumer++) {
      if (targetHosts[consumer] == host) {
        return true;
      }
    }
    return false;
  }

  private static int first(int index, int own, int others) {
    return (int) ((long) index * others / own);
  }

  private static int end(int index, int own, int others) {
    return (int) (((index + 1L) * others + own - 1) / own);
  }
}
