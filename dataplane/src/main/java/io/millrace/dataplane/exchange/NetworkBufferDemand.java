package io.millrace.dataplane.exchange;

import io.millrace.core.MemorySize;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.wire.LocalBufferPool;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.dataplane.wire.NetworkMemory;
import java.util.Collection;

/**
 * The network buffers that a deployment needs. Each channel from or to another host needs as many
 * as its window, so that there is a buffer on both sides for every credit.
 */
final class NetworkBufferDemand {
  private static final int MOST = 64;

  /** The number of channels from other hosts, by window. */
  private final int[] incoming = new int[MOST + 1];

  private final int[] outgoing = new int[MOST + 1];

  NetworkBufferDemand(Collection<ExchangeEdge> edges) {
    for (ExchangeEdge edge : edges) {
      for (int consumer = 0; consumer < edge.targets().length; consumer++) {
        if (edge.targets()[consumer] != null) {
          addIncoming(edge, consumer);
        }
      }
      for (int producer = 0; producer < edge.sources().length; producer++) {
        if (edge.sources()[producer] != null) {
          addOutgoing(edge, producer);
        }
      }
    }
  }

  private void addIncoming(ExchangeEdge edge, int consumer) {
    for (int p = edge.firstProducer(consumer); p < edge.endProducer(consumer); p++) {
      if (edge.sources()[p] == null) {
        incoming[edge.window(p)]++;
      }
    }
  }

  private void addOutgoing(ExchangeEdge edge, int producer) {
    for (int c = edge.firstConsumer(producer); c < edge.endConsumer(producer); c++) {
      if (edge.targets()[c] == null) {
        outgoing[edge.window(producer)]++;
      }
    }
  }

  /** The number of buffers if windows are limited to a maximum. */
  private static int buffers(int[] channels, int largest) {
    long sum = 0;
    for (int window = 1; window <= MOST; window++) {
      sum += (long) channels[window] * Math.min(window, largest);
    }
    return (int) Math.min(Integer.MAX_VALUE / 2, sum);
  }

  LocalBufferPool reserve(NetworkBufferPool pool) {
    return pool.reserve(window -> buffers(incoming, window) + buffers(outgoing, window))
        .orElseThrow(() -> tooFew(pool.memory(), pool.free()));
  }

  private MillraceException tooFew(NetworkMemory memory, int free) {
    int least = buffers(incoming, 1) + buffers(outgoing, 1);
    long bytes = (long) (memory.buffers() - free + least) * memory.segment();
    return new MillraceException(
        ErrorKind.RESOURCE,
        "Too little network memory: the tasks of this job on this TaskManager need %d buffers (%d for channels from other TaskManagers, %d for channels to them), but %d of %d buffers of %s are free. Set %s to %s or more (and %s no lower, or %s accordingly), or lower the parallelism."
            .formatted(
                least,
                buffers(incoming, 1),
                buffers(outgoing, 1),
                free,
                memory.buffers(),
                new MemorySize(memory.segment()).exact(),
                MemoryOptions.NETWORK_MIN.key(),
                new MemorySize(bytes).inWholeKibi().exact(),
                MemoryOptions.NETWORK_MAX.key(),
                MemoryOptions.NETWORK_FRACTION.key()));
  }
}
