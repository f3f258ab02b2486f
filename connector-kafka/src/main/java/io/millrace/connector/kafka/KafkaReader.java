package io.millrace.connector.kafka;

import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Emits what a {@link KafkaFetcher} has fetched. Its positions are those of emitted records, so
 * that a checkpoint does not count records as read that wait here. Belongs to the task.
 */
final class KafkaReader<T> implements SourceReader<T, KafkaPartitionSplit> {
  /** A partition that is not completely read. */
  private static final class Position {
    final KafkaPartitionSplit split;
    final String splitId;

    /** The offset of the next record to emit. */
    long next;

    Position(KafkaPartitionSplit split) {
      this.split = split;
      this.splitId = split.splitId();
      this.next = split.next();
    }
  }

  private final KafkaFetcher fetcher;
  private final RecordParser<T> parser;
  private final Map<TopicPartition, Position> positions = new LinkedHashMap<>();

  /** Fetched records in order of arrival, also those of paused partitions. */
  private final ArrayDeque<FetchedRecords> fetched = new ArrayDeque<>();

  /** The records that are emitted now, from an index on; null if none. */
  private FetchedRecords current;

  private Position currentPosition;
  private int index;

  private Set<String> paused = Set.of();

  /** The offsets behind partitions that are completely read, until a checkpoint has them. */
  private final Map<TopicPartition, Long> finished = new HashMap<>();

  /** By checkpoint, the offsets to commit when it is complete. */
  private final TreeMap<Long, Map<TopicPartition, Long>> toCommit = new TreeMap<>();

  KafkaReader(KafkaFetcher fetcher, RecordParser<T> parser) {
    this.fetcher = fetcher;
    this.parser = parser;
  }

  @Override
  public void addSplits(List<KafkaPartitionSplit> added) {
    List<KafkaPartitionSplit> unread = new ArrayList<>();
    for (KafkaPartitionSplit split : added) {
      positions.put(split.topicPartition(), new Position(split));
      if (split.isRead()) {
        fetched.add(new FetchedRecords(split.topicPartition(), List.of(), split.next(), true));
      } else {
        unread.add(split);
      }
    }
    if (!unread.isEmpty()) {
      fetcher.add(unread);
    }
  }

  @Override
  public Status poll(SourceOutput<T> out, int limit) throws Exception {
    int room = limit;
    while (room > 0 && advance(out)) {
      List<ConsumerRecord<byte[], byte[]>> records = current.records();
      int end = Math.min(records.size(), index + room);
      room -= end - index;
      while (index < end) {
        ConsumerRecord<byte[], byte[]> record = records.get(index);
        parser.emit(record, out);
        index++;
        currentPosition.next = record.offset() + 1;
      }
      if (index == records.size()) {
        complete(out);
      }
    }
    if (room == 0) {
      return Status.MORE;
    }
    return positions.isEmpty() ? Status.END : Status.WAIT;
  }

  /** Makes records current; false if none may be emitted now. */
  private boolean advance(SourceOutput<T> out) throws Exception {
    if (current != null && paused.contains(currentPosition.splitId)) {
      fetched.addFirst(
          new FetchedRecords(
              current.partition(),
              current.records().subList(index, current.records().size()),
              current.next(),
              current.last()));
      current = null;
    }
    if (current != null) {
      return true;
    }
    fetcher.takeInto(fetched);
    for (Iterator<FetchedRecords> each = fetched.iterator(); each.hasNext(); ) {
      FetchedRecords records = each.next();
      Position position = positions.get(records.partition());
      if (!paused.contains(position.splitId)) {
        each.remove();
        current = records;
        currentPosition = position;
        index = 0;
        out.split(position.splitId);
        return true;
      }
    }
    return false;
  }

  private void complete(SourceOutput<T> out) {
    currentPosition.next = current.next();
    if (current.last()) {
      positions.remove(current.partition());
      finished.put(current.partition(), current.next());
      out.splitFinished(currentPosition.splitId);
    }
    current = null;
  }

  @Override
  public void pauseSplits(Set<String> splitIds) {
    paused = Set.copyOf(splitIds);
    List<TopicPartition> partitions = new ArrayList<>();
    positions.forEach(
        (partition, position) -> {
          if (paused.contains(position.splitId)) {
            partitions.add(partition);
          }
        });
    fetcher.pause(partitions);
  }

  @Override
  public List<KafkaPartitionSplit> snapshot(long checkpoint) {
    if (fetcher.commitsOffsets()) {
      Map<TopicPartition, Long> offsets = new HashMap<>(finished);
      positions.forEach((partition, position) -> offsets.put(partition, position.next));
      toCommit.put(checkpoint, offsets);
    }
    return positions.values().stream().map(each -> each.split.at(each.next)).toList();
  }

  @Override
  public void checkpointCompleted(long checkpoint) {
    Map.Entry<Long, Map<TopicPartition, Long>> newest = toCommit.floorEntry(checkpoint);
    if (newest != null) {
      Map<TopicPartition, Long> offsets = newest.getValue();
      toCommit.headMap(checkpoint, true).clear();
      finished.keySet().removeAll(offsets.keySet());
      fetcher.commit(offsets);
    }
  }

  @Override
  public Optional<String> position() {
    return current == null || index >= current.records().size()
        ? Optional.empty()
        : Optional.of(
            "offset " + current.records().get(index).offset() + " of " + current.partition());
  }

  @Override
  public void close() {
    fetcher.close();
    parser.close();
  }
}
