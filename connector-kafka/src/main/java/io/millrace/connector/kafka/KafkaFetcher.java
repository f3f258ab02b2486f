package io.millrace.connector.kafka;

import io.millrace.api.source.SourceContext;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches records in a thread of its own, because Kafka's consumer blocks and must be used by one
 * thread. The task hands over what is to be done and takes what was fetched, under the lock of this
 * object, which no call to Kafka holds.
 */
final class KafkaFetcher {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaFetcher.class);

  /** Fetched and not taken by the task. A paused partition keeps at most this many there, too. */
  private static final int MOST_FETCHES = 2;

  private static final Duration POLL = Duration.ofSeconds(1);

  /** After this long without records the fetcher asks whether the brokers are there. */
  private static final Duration CONTACT_INTERVAL = Duration.ofSeconds(5);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final KafkaSourceSettings settings;
  private final SourceContext context;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;

  // --- guarded by this object
  private final List<KafkaPartitionSplit> added = new ArrayList<>();
  private final List<List<FetchedRecords>> fetches = new ArrayList<>();
  private Map<TopicPartition, Long> toCommit = Map.of();
  private Set<TopicPartition> paused = Set.of();
  private boolean changed;
  private Throwable failure;
  private boolean closed;

  // --- in the thread

  /** By partition, the offset before which reading ends. */
  private final Map<TopicPartition, Long> stops = new LinkedHashMap<>();

  /** Whether the task has taken enough for another fetch. */
  private boolean hasRoom;

  private long lastContact = System.nanoTime();

  /** Whether the brokers have not answered since they were asked, at that time. */
  private boolean seeksContact;

  private long contactSought;

  /** Whether the last commit of offsets failed. */
  private boolean commitFailed;

  KafkaFetcher(KafkaSourceSettings settings, SourceContext context) {
    this.settings = settings;
    this.context = context;
    this.consumer =
        settings
            .connection()
            .opened(
                () ->
                    new KafkaConsumer<>(
                        settings.consumerProperties(),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer()));
    this.thread = new Thread(this::run, "kafka-fetcher-" + context.subtask());
    this.thread.setDaemon(true);
    this.thread.start();
  }

  // --- calls of the task

  synchronized void add(List<KafkaPartitionSplit> splits) {
    added.addAll(splits);
    tell();
  }

  synchronized void pause(Collection<TopicPartition> partitions) {
    paused = Set.copyOf(partitions);
    tell();
  }

  boolean commitsOffsets() {
    return settings.group().isPresent();
  }

  /** Commits these offsets for the group, if no newer ones follow before. */
  synchronized void commit(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> newest = new HashMap<>(toCommit);
    newest.putAll(offsets);
    toCommit = newest;
    tell();
  }

  private void tell() {
    changed = true;
    notifyAll();
    consumer.wakeup();
  }

  /** Takes what was fetched; throws if the thread has failed and everything was taken. */
  synchronized void takeInto(Collection<FetchedRecords> records) throws Exception {
    if (!fetches.isEmpty()) {
      fetches.forEach(records::addAll);
      fetches.clear();
      notifyAll();
      return;
    }
    if (failure instanceof Exception known) {
      throw known;
    } else if (failure != null) {
      throw new IllegalStateException("The fetcher of Kafka failed", failure);
    }
  }

  void close() {
    synchronized (this) {
      closed = true;
      tell();
    }
    try {
      thread.join(CLOSE_TIMEOUT.toMillis() * 2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      LOG.warn("The consumer of {} is still being closed", settings.topics());
    }
  }

  // --- the thread

  private void run() {
    try {
      while (apply()) {
        // A consumer without partitions refuses to poll.
        if (!stops.isEmpty()) {
          fetch();
        }
      }
    } catch (Throwable thrown) {
      synchronized (this) {
        failure = described(thrown);
      }
      context.wake();
    } finally {
      try {
        consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
      } catch (RuntimeException e) {
        LOG.warn("The consumer of {} was not closed cleanly", settings.topics(), e);
      }
    }
  }

  /** Does what the task has said, when there is room for records; false at the end. */
  private boolean apply() throws InterruptedException {
    List<KafkaPartitionSplit> newSplits;
    Map<TopicPartition, Long> offsets;
    Set<TopicPartition> toPause;
    boolean last;
    synchronized (this) {
      while (!closed && !changed && (stops.isEmpty() || fetches.size() >= MOST_FETCHES)) {
        wait();
      }
      last = closed;
      changed = false;
      newSplits = List.copyOf(added);
      added.clear();
      offsets = toCommit;
      toCommit = Map.of();
      toPause = paused;
      hasRoom = fetches.size() < MOST_FETCHES;
    }
    if (!last) {
      assign(newSplits);
      pauseNow(toPause);
    }
    commitNow(offsets);
    return !last;
  }

  private void assign(List<KafkaPartitionSplit> splits) {
    if (splits.isEmpty()) {
      return;
    }
    splits.forEach(split -> stops.put(split.topicPartition(), split.stop()));
    consumer.assign(stops.keySet());
    splits.forEach(split -> consumer.seek(split.topicPartition(), split.next()));
  }

  private void commitNow(Map<TopicPartition, Long> offsets) {
    if (offsets.isEmpty()) {
      return;
    }
    Map<TopicPartition, OffsetAndMetadata> metadata = new HashMap<>();
    offsets.forEach((partition, offset) -> metadata.put(partition, new OffsetAndMetadata(offset)));
    // The job does not depend on them; the next checkpoint commits newer ones. The next poll or the
    // close sends them.
    try {
      consumer.commitAsync(metadata, (committed, exception) -> committed(exception));
    } catch (WakeupException e) {
      LOG.debug("Offsets are committed with the next checkpoint");
    }
  }

  /** Logs the first failure of a sequence. */
  private void committed(Exception exception) {
    if (exception != null && !commitFailed) {
      LOG.warn(
          "Offsets of group '{}' are not committed: {} Later checkpoints try again.",
          settings.group().orElseThrow(),
          Failure.sentence(exception));
    } else if (exception == null && commitFailed) {
      LOG.info("Offsets of group '{}' are committed again", settings.group().orElseThrow());
    }
    commitFailed = exception != null;
  }

  /** Pauses all partitions while there is no room: a poll only sends and receives commits then. */
  private void pauseNow(Set<TopicPartition> partitions) {
    Set<TopicPartition> pause = new HashSet<>(hasRoom ? partitions : stops.keySet());
    pause.retainAll(stops.keySet());
    Set<TopicPartition> resume = new HashSet<>(consumer.paused());
    resume.removeAll(pause);
    consumer.resume(resume);
    consumer.pause(pause);
  }

  private void fetch() {
    ConsumerRecords<byte[], byte[]> polled;
    try {
      polled = consumer.poll(hasRoom ? POLL : Duration.ZERO);
    } catch (WakeupException e) {
      // The task has said something. It may do so all the time, so that the rest must not wait.
      polled = ConsumerRecords.empty();
    }
    List<FetchedRecords> records = divide(polled);
    if (!records.isEmpty()) {
      contact();
      synchronized (this) {
        fetches.add(records);
      }
      context.wake();
    } else if (hasRoom
        && !stops.isEmpty()
        && System.nanoTime() - lastContact > CONTACT_INTERVAL.toNanos()) {
      checkContact();
    }
  }

  private List<FetchedRecords> divide(ConsumerRecords<byte[], byte[]> polled) {
    List<FetchedRecords> all = new ArrayList<>();
    Set<TopicPartition> read = new HashSet<>();
    stops.forEach(
        (partition, stop) -> {
          List<ConsumerRecord<byte[], byte[]>> records = polled.records(partition);
          long next =
              polled.nextOffsets().containsKey(partition)
                  ? polled.nextOffsets().get(partition).offset()
                  : records.isEmpty() ? -1 : records.get(records.size() - 1).offset() + 1;
          if (stop != KafkaPartitionSplit.NO_STOP) {
            if (next < stop) {
              // What is no record moves the position, too, but does not appear in a poll.
              next = position(partition, next);
            }
            if (next >= stop) {
              records = before(records, stop);
              next = stop;
              read.add(partition);
            }
          }
          if (!records.isEmpty() || read.contains(partition)) {
            all.add(new FetchedRecords(partition, records, next, read.contains(partition)));
          }
        });
    if (!read.isEmpty()) {
      stops.keySet().removeAll(read);
      consumer.assign(stops.keySet());
    }
    return all;
  }

  private long position(TopicPartition partition, long otherwise) {
    try {
      return consumer.position(partition, Duration.ofMillis(1));
    } catch (TimeoutException | WakeupException e) {
      // Not known while the brokers cannot be reached; the next poll asks again.
      return otherwise;
    }
  }

  private static List<ConsumerRecord<byte[], byte[]>> before(
      List<ConsumerRecord<byte[], byte[]>> records, long stop) {
    int end = records.size();
    while (end > 0 && records.get(end - 1).offset() >= stop) {
      end--;
    }
    return records.subList(0, end);
  }

  /** A poll does not tell a topic without new records from brokers that are gone. */
  private void checkContact() {
    long now = System.nanoTime();
    if (!seeksContact) {
      seeksContact = true;
      contactSought = now;
    }
    try {
      consumer.endOffsets(stops.keySet(), CONTACT_INTERVAL);
      contact();
    } catch (WakeupException | TimeoutException e) {
      // No answer, or the task has said something meanwhile. The next poll asks again.
      if (now - contactSought > settings.connection().apiTimeout().toNanos()) {
        throw settings.connection().unreachable("What follows in " + settings.topics(), e);
      }
    }
  }

  private void contact() {
    lastContact = System.nanoTime();
    seeksContact = false;
  }

  private Throwable described(Throwable thrown) {
    if (thrown instanceof OffsetOutOfRangeException gone) {
      return new MillraceException(
          ErrorKind.EXTERNAL,
          "Kafka has no records at the offsets "
              + gone.offsetOutOfRangePartitions()
              + ", where the source goes on. They were deleted before they were read, or the topic"
              + " was created anew. Start the job without state, or with offsets that exist.",
          thrown);
    }
    return thrown;
  }
}
