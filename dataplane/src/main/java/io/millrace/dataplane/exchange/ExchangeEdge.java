package io.millrace.dataplane.exchange;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.graph.JobEdge;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;

/**
 * An edge of the job graph and the tasks at its ends. Channels are computed, never enumerated: on a
 * pointwise edge (forward, rescale) a producer reaches the consumers whose range overlaps its own,
 * on any other edge it reaches all of them.
 *
 * @param output position among the edges that leave the source
 * @param input position among the edges that reach the target
 * @param sources the producers on this host by subtask, null for those on other hosts
 * @param targets the consumers on this host by subtask, null for those on other hosts
 * @param sourceHosts index of each producer's host in the placement
 * @param targetHosts index of each consumer's host in the placement
 */
public record ExchangeEdge(
    JobEdge edge,
    JobVertex source,
    JobVertex target,
    int output,
    int input,
    ExchangeTask[] sources,
    ExchangeTask[] targets,
    int[] sourceHosts,
    int[] targetHosts) {

  public ExchangeEdge {
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

  /** The maximum number of batches in flight on each channel of a producer. */
  int window(int producer) {
    return Math.max(2, Math.min(8, 64 / (endConsumer(producer) - firstConsumer(producer))));
  }

  /** Whether a producer has a channel to a host. */
  public boolean leads(int producer, int host) {
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
