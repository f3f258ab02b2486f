package io.millrace.connector.kafka;

import io.millrace.api.function.Collector;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.error.Failure;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the partitions of a source, once or again and again. Calls to Kafka run in a thread of its
 * own, because they may wait for a long time; everything else belongs to the task.
 */
final class KafkaEnumerator implements SplitEnumerator<KafkaPartitionSplit, DiscoveredPartitions> {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaEnumerator.class);

  private final KafkaSourceSettings settings;
  private final EnumeratorContext context;
  private final ExecutorService calls =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "kafka-partition-discovery");
            thread.setDaemon(true);
            return thread;
          });

  /** The client of the calls; null before the first one. Guarded by this object. */
  private PartitionDiscovery discovery;

  /** Guarded by this object. */
  private boolean closed;

  /** The partitions whose splits were found; empty before the first discovery. */
  private Optional<Set<TopicPartition>> known;

  /** The discovery that runs or has ended; null if none. */
  private CompletableFuture<List<KafkaPartitionSplit>> running;

  KafkaEnumerator(
      KafkaSourceSettings settings,
      EnumeratorContext context,
      Optional<DiscoveredPartitions> state) {
    settings.requireGroupIfCommitted();
    this.settings = settings;
    this.context = context;
    this.known = state.map(DiscoveredPartitions::topicPartitions);
  }

  @Override
  public PollingReader.Status discover(Collector<KafkaPartitionSplit> splits) throws Exception {
    if (running == null) {
      if (known.isPresent() && settings.interval().isEmpty()) {
        return PollingReader.Status.END;
      }
      Optional<Set<TopicPartition>> before = known.map(LinkedHashSet::new);
      running = CompletableFuture.supplyAsync(() -> call(before), calls);
      running.whenComplete((found, failure) -> context.wake());
      return PollingReader.Status.WAIT;
    }
    if (!running.isDone()) {
      return PollingReader.Status.WAIT;
    }
    CompletableFuture<List<KafkaPartitionSplit>> done = running;
    running = null;
    take(done, splits);
    if (settings.interval().isEmpty()) {
      return PollingReader.Status.END;
    }
    context.wakeAfter(settings.interval().get());
    return PollingReader.Status.WAIT;
  }

  private void take(
      CompletableFuture<List<KafkaPartitionSplit>> done, Collector<KafkaPartitionSplit> splits)
      throws Exception {
    List<KafkaPartitionSplit> found;
    try {
      found = done.join();
    } catch (CompletionException e) {
      if (known.isPresent()) {
        // What is known is read on. The readers notice brokers that do not come back.
        LOG.warn(
            "New partitions of {} could not be looked for: {} The next search is in {}.",
            settings.topics(),
            Failure.sentence(e.getCause()),
            settings.interval().orElseThrow());
        return;
      }
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
    Set<TopicPartition> all = known.map(LinkedHashSet::new).orElseGet(LinkedHashSet::new);
    for (KafkaPartitionSplit split : found) {
      all.add(split.topicPartition());
      splits.emit(split);
    }
    if (!found.isEmpty()) {
      LOG.info("Found {} partitions of {}: {}", found.size(), settings.topics(), found);
    }
    known = Optional.of(all);
  }

  private List<KafkaPartitionSplit> call(Optional<Set<TopicPartition>> before) {
    try {
      return client().newSplits(before);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    }
  }

  private synchronized PartitionDiscovery client() throws InterruptedException {
    if (closed) {
      throw new InterruptedException("The enumerator is closed");
    }
    if (discovery == null) {
      discovery = new PartitionDiscovery(settings);
    }
    return discovery;
  }

  @Override
  public List<DiscoveredPartitions> snapshot(long checkpoint) {
    return known.map(DiscoveredPartitions::of).stream().toList();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    // Ends the call that runs.
    calls.shutdownNow();
    if (discovery != null) {
      discovery.close();
    }
  }
}
