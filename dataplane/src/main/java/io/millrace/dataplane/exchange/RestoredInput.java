package io.millrace.dataplane.exchange;

import io.millrace.dataplane.operator.ControlElement;
import io.millrace.dataplane.operator.TaskEnvironment;
import io.millrace.dataplane.snapshot.InFlightElement;
import io.millrace.dataplane.snapshot.RestoredInFlight;
import io.millrace.dataplane.snapshot.RestoredInFlight.FormerChannel;
import io.millrace.task.checkpoint.TaskRestore;
import io.millrace.task.checkpoint.TaskRestore.InFlightRestore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The input that a task had not processed at the checkpoint it starts with. Where the channels are
 * the same as before, their watermarks are, too. Else the event time of the edge is the lowest that
 * a former producer had reached: what producers send now goes on from there.
 */
final class RestoredInput {
  private final TaskEnvironment task;
  private final List<ExchangeEdge> edges;
  private final InputChannels channels;

  RestoredInput(TaskEnvironment task, List<ExchangeEdge> edges, InputChannels channels) {
    this.task = task;
    this.edges = edges;
    this.channels = channels;
  }

  /** Reads the records; blocks. */
  List<RecordBatch> read(TaskRestore restore) {
    List<RecordBatch> batches = new ArrayList<>();
    for (InFlightRestore share : restore.inFlight()) {
      ExchangeEdge edge =
          edges.stream().filter(each -> each.edge().id() == share.edge()).findFirst().orElseThrow();
      try {
        Map<FormerChannel, List<InFlightElement>> former =
            new RestoredInFlight(
                    task.deployment().stateFiles(),
                    restore,
                    task.deployment().stateCodecs().ofEdge(share.edge()))
                .read(share);
        if (share.sameChannels()) {
          former.forEach(
              (channel, elements) ->
                  elements.forEach(
                      element -> batches.add(batch(edge, channel.producer(), element))));
        } else {
          redistribute(edge, share, former, batches);
        }
      } catch (Throwable thrown) {
        throw task.failed("exchange from " + edge.source().name(), thrown);
      }
    }
    return batches;
  }

  private void redistribute(
      ExchangeEdge edge,
      InFlightRestore share,
      Map<FormerChannel, List<InFlightElement>> former,
      List<RecordBatch> to)
      throws Exception {
    int first = edge.firstProducer(task.subtask());
    RecordRouting.Selection selection =
        share.filtered() ? RecordRouting.of(task, edge) : record -> task.subtask();
    for (List<InFlightElement> elements : former.values()) {
      for (InFlightElement element : elements) {
        if (element instanceof InFlightElement.Records records) {
          RecordBatch batch = batch(edge, first, records);
          retainOwn(batch, selection);
          to.add(batch);
        }
      }
    }
    long reached = eventTime(share, former);
    if (reached > Long.MIN_VALUE) {
      for (int producer = first; producer < edge.endProducer(task.subtask()); producer++) {
        to.add(batch(edge, producer, new InFlightElement.Watermark(reached)));
      }
    }
  }

  private void retainOwn(RecordBatch batch, RecordRouting.Selection selection) throws Exception {
    int kept = 0;
    for (int i = 0; i < batch.size; i++) {
      if (selection.consumerOf(batch.records[i]) == task.subtask()) {
        batch.records[kept] = batch.records[i];
        if (batch.timestamps != null) {
          batch.timestamps[kept] = batch.timestamps[i];
        }
        kept++;
      }
    }
    batch.size = kept;
  }

  /** The lowest watermark of all former producers, {@link Long#MIN_VALUE} if one is not known. */
  private static long eventTime(
      InFlightRestore share, Map<FormerChannel, List<InFlightElement>> former) {
    long lowest = Long.MAX_VALUE;
    Set<Integer> known = new HashSet<>();
    for (Map.Entry<FormerChannel, List<InFlightElement>> channel : former.entrySet()) {
      long reached = Long.MIN_VALUE;
      for (InFlightElement element : channel.getValue()) {
        if (element instanceof InFlightElement.Watermark watermark) {
          reached = Math.max(reached, watermark.time());
        }
      }
      if (reached > Long.MIN_VALUE) {
        known.add(channel.getKey().producer());
      }
      lowest = Math.min(lowest, reached);
    }
    return known.size() == share.producers() ? lowest : Long.MIN_VALUE;
  }

  private RecordBatch batch(ExchangeEdge edge, int producer, InFlightElement element) {
    RecordBatch batch = new RecordBatch(0);
    if (element instanceof InFlightElement.Records records) {
      batch.records = records.records();
      batch.size = records.to();
      batch.timestamps = records.timestamps().length == 0 ? null : records.timestamps();
    } else if (element instanceof InFlightElement.Watermark watermark) {
      batch.control = new ControlElement.Watermark(watermark.time());
    } else {
      throw new IllegalStateException("A restored element is " + element);
    }
    batch.edge = edge;
    batch.producer = producer;
    batch.channel = channels.channel(edge, producer);
    batch.hasCredit = false;
    return batch;
  }
}
