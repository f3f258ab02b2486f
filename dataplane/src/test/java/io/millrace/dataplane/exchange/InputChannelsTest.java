package io.millrace.dataplane.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.Fixtures;
import io.millrace.dataplane.TestJobGraph;
import io.millrace.dataplane.metrics.EventTimeMetrics;
import io.millrace.dataplane.operator.ControlElement;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.InputSubtask;
import io.millrace.task.TaskEventTime;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InputChannelsTest {
  private static final ControlElement END = ControlElement.EndOfInput.INSTANCE;
  private static final ControlElement IDLE = ControlElement.WatermarkStatus.IDLE;
  private static final ControlElement ACTIVE = ControlElement.WatermarkStatus.ACTIVE;

  /** Three channels: two producers on one edge, one on another. */
  private final ExchangeEdge wide = edge(0, 2);

  private final ExchangeEdge narrow = edge(1, 1);
  private final EventTimeMetrics metrics = new EventTimeMetrics();
  private final InputChannels inputs =
      new InputChannels(List.of(wide, narrow), 0, metrics, new Alignments());

  static ExchangeEdge edge(int input, int producers) {
    TestJobGraph program = new TestJobGraph();
    JobVertex from = program.vertex("from", producers, Fixtures.numbers(1));
    JobVertex to = program.vertex("to", 1, Fixtures.discard());
    program.edge(from, to, Partitioning.REBALANCE);
    JobGraph graph = program.build();
    return new ExchangeEdge(
        graph.edges().get(0),
        from,
        to,
        0,
        input,
        new ExchangeTask[producers],
        new ExchangeTask[1],
        new int[producers],
        new int[1]);
  }

  private static RecordBatch batch(int channel) {
    RecordBatch batch = new RecordBatch(0);
    batch.channel = channel;
    return batch;
  }

  private static ControlElement watermark(long time) {
    return new ControlElement.Watermark(time);
  }

  private static ControlElement barrier(long checkpoint) {
    return new ControlElement.CheckpointBarrier(request(checkpoint));
  }

  static CheckpointRequest request(long checkpoint) {
    return new CheckpointRequest(
        checkpoint,
        1,
        CheckpointRequest.Type.CHECKPOINT,
        CheckpointRequest.Barriers.ALIGNED,
        "/chk",
        "/shared",
        0);
  }

  /** Notes what it hears. */
  static final class Alignments implements AlignmentListener {
    final List<Long> started = new ArrayList<>();
    final List<Long> superseded = new ArrayList<>();

    @Override
    public void alignmentStarted(CheckpointRequest request) {
      started.add(request.checkpoint());
    }

    @Override
    public void alignmentSuperseded(CheckpointRequest request, CheckpointRequest by) {
      superseded.add(request.checkpoint());
    }
  }

  @Test
  void numbersChannelsThroughAllEdges() {
    assertThat(inputs.count()).isEqualTo(3);
    assertThat(inputs.channel(wide, 0)).isZero();
    assertThat(inputs.channel(wide, 1)).isEqualTo(1);
    assertThat(inputs.channel(narrow, 0)).isEqualTo(2);
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void eventTimeIsTheLowestOfAllChannels() {
    assertThat(inputs.control(0, watermark(10))).isEmpty();
    assertThat(inputs.control(1, watermark(5))).isEmpty();
    assertThat(inputs.control(2, watermark(7))).containsExactly(watermark(5));
    assertThat(inputs.control(0, watermark(20))).isEmpty();
    assertThat(inputs.control(1, watermark(3))).isEmpty();
    assertThat(inputs.control(1, watermark(8))).containsExactly(watermark(7));
  }

  private TaskEventTime told() {
    return metrics.read(inputs.count(), inputs::origin).orElseThrow();
  }

  @Test
  void tellsWhichChannelHoldsEventTimeBackAndHowFarOthersAre() {
    assertThat(metrics.read(inputs.count(), inputs::origin)).isEmpty();
    inputs.control(0, watermark(10));
    inputs.control(1, watermark(5));
    assertThat(told().slowestInput()).contains(new InputSubtask(narrow.source().id(), 0));
    assertThat(told().isHeldBack()).isTrue();
    inputs.control(2, watermark(7));
    assertThat(told().slowestInput()).contains(new InputSubtask(wide.source().id(), 1));
    inputs.control(0, watermark(20));
    assertThat(told().inputWatermark()).isEqualTo(5);
    assertThat(told().highestInputWatermark()).isEqualTo(20);
    inputs.control(1, IDLE);
    assertThat(told().slowestInput()).contains(new InputSubtask(narrow.source().id(), 0));
    assertThat(told().idleInputs()).isEqualTo(1);
    inputs.control(1, END);
    inputs.control(2, END);
    assertThat(told().idleInputs()).isZero();
    assertThat(told().isHeldBack()).isFalse();
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void anEndedChannelNoLongerHoldsEventTimeBack() {
    inputs.control(0, watermark(10));
    inputs.control(1, watermark(20));
    assertThat(inputs.control(2, END)).containsExactly(watermark(10));
    assertThat(inputs.control(0, END)).containsExactly(watermark(20));
    assertThat(inputs.control(1, END)).isEmpty();
    assertThat(inputs.allEnded()).isTrue();
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void anIdleChannelDoesNotHoldEventTimeBackUntilItIsActiveAgain() {
    inputs.control(0, watermark(10));
    inputs.control(1, watermark(20));
    assertThat(inputs.control(2, IDLE)).containsExactly(watermark(10));
    assertThat(inputs.control(0, watermark(15))).containsExactly(watermark(15));
    assertThat(inputs.control(2, ACTIVE)).isEmpty();
    assertThat(inputs.control(0, watermark(30))).isEmpty();
    assertThat(inputs.control(2, watermark(18))).containsExactly(watermark(18));
  }

  @Test
  void whenAllChannelsAreIdleEventTimeIsWhereTheFirstOneIs() {
    inputs.control(0, watermark(10));
    inputs.control(1, watermark(20));
    assertThat(inputs.control(2, END)).containsExactly(watermark(10));
    assertThat(inputs.control(1, IDLE)).isEmpty();
    assertThat(inputs.control(0, IDLE)).containsExactly(watermark(20), IDLE);
    assertThat(inputs.control(1, ACTIVE)).containsExactly(ACTIVE);
    assertThat(inputs.control(1, watermark(25))).containsExactly(watermark(25));
    assertThat(inputs.control(1, END)).containsExactly(IDLE);
  }

  /** How far event time is, from all that every channel has said so far. */
  private static final class Model {
    final long[] reached = {Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE};
    final boolean[] idle = new boolean[3];
    final boolean[] ended = new boolean[3];
    long watermark = Long.MIN_VALUE;
    boolean isIdle;

    List<ControlElement> settle(boolean woken) {
      List<ControlElement> out = new ArrayList<>();
      if (woken && isIdle) {
        isIdle = false;
        out.add(ACTIVE);
      }
      if (ended[0] && ended[1] && ended[2]) {
        return out;
      }
      List<Integer> holding =
          IntStream.range(0, 3).filter(i -> !idle[i] && !ended[i]).boxed().toList();
      long now =
          holding.isEmpty()
              ? Arrays.stream(reached).max().getAsLong()
              : holding.stream().mapToLong(i -> reached[i]).min().getAsLong();
      if (now > watermark) {
        watermark = now;
        out.add(watermark(now));
      }
      if (holding.isEmpty() && !isIdle) {
        isIdle = true;
        out.add(IDLE);
      }
      return out;
    }
  }

  @Test
  @Behaviour("H1: event time is the minimum of all channels that are neither idle nor ended")
  void saysWhatAModelSaysWhateverChannelsSay() {
    for (long seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      InputChannels fresh = new InputChannels(List.of(wide, narrow), 0, metrics, new Alignments());
      Model model = new Model();
      for (int i = 0; i < 60; i++) {
        int channel = random.nextInt(3);
        if (model.ended[channel]) {
          continue;
        }
        ControlElement said;
        boolean woken = false;
        switch (random.nextInt(i > 30 ? 12 : 10)) {
          case 0, 1 -> {
            said = IDLE;
            model.idle[channel] = true;
          }
          case 2, 3 -> {
            said = ACTIVE;
            model.idle[channel] = false;
            woken = true;
          }
          case 10 -> {
            said = END;
            model.ended[channel] = true;
          }
          default -> {
            long time = (long) i + random.nextInt(20) - 10;
            said = watermark(time);
            model.reached[channel] = Math.max(model.reached[channel], time);
          }
        }
        assertThat(fresh.control(channel, said))
            .as("seed %s, %s on %s", seed, said, channel)
            .isEqualTo(model.settle(woken));
      }
    }
  }

  @Test
  void aBarrierGoesOnWhenItHasComeOnAllChannelsAndWhatIsBehindItWaits() {
    ArrayDeque<RecordBatch> inbox = new ArrayDeque<>();
    assertThat(inputs.control(0, barrier(1))).isEmpty();
    RecordBatch behind = batch(0);
    RecordBatch beside = batch(1);
    inbox.add(behind);
    inbox.add(beside);
    assertThat(inputs.next(inbox::poll)).containsSame(beside);
    assertThat(inputs.next(inbox::poll)).isEmpty();

    assertThat(inputs.control(1, barrier(1))).isEmpty();
    assertThat(inputs.control(2, END)).containsExactly(barrier(1));

    RecordBatch later = batch(1);
    inbox.add(later);
    assertThat(inputs.next(inbox::poll)).containsSame(behind);
    assertThat(inputs.next(inbox::poll)).containsSame(later);
  }

  @Test
  void anAbortedCheckpointUnblocksItsChannelsAndItsLaterBarriersAreIgnored() {
    ArrayDeque<RecordBatch> inbox = new ArrayDeque<>();
    inputs.control(0, barrier(1));
    RecordBatch behind = batch(0);
    inbox.add(behind);
    assertThat(inputs.next(inbox::poll)).isEmpty();

    inputs.abort(1);

    assertThat(inputs.next(inbox::poll)).containsSame(behind);
    assertThat(inputs.control(1, barrier(1))).isEmpty();
    assertThat(inputs.control(2, barrier(1))).isEmpty();
    inbox.add(batch(1));
    assertThat(inputs.next(inbox::poll)).isPresent();
  }

  @Test
  void theBarrierOfALaterCheckpointEndsTheAlignmentOfOneThatAProducerGaveUp() {
    Alignments heard = new Alignments();
    InputChannels channels = new InputChannels(List.of(wide, narrow), 0, metrics, heard);
    ArrayDeque<RecordBatch> inbox = new ArrayDeque<>();
    channels.control(0, barrier(1));
    RecordBatch behind = batch(0);
    inbox.add(behind);
    assertThat(channels.next(inbox::poll)).isEmpty();

    assertThat(channels.control(1, barrier(2))).isEmpty();

    assertThat(heard.superseded).containsExactly(1L);
    assertThat(heard.started).containsExactly(1L, 2L);
    assertThat(channels.next(inbox::poll)).containsSame(behind);
    channels.control(0, barrier(2));
    assertThat(channels.control(2, barrier(1))).isEmpty();
    assertThat(channels.control(2, barrier(2))).containsExactly(barrier(2));
  }

  /** Alignment from everything that has happened so far; it forgets nothing. */
  private static final class AlignmentModel {
    final List<Long> superseded = new ArrayList<>();
    final Set<Long> aborted = new HashSet<>();
    final Set<Integer> blocked = new HashSet<>();
    final Set<Integer> ended = new HashSet<>();
    long newest;
    Optional<Long> aligning = Optional.empty();

    List<ControlElement> barrier(int channel, long checkpoint) {
      if (checkpoint > newest) {
        aligning.ifPresent(superseded::add);
        blocked.clear();
        newest = checkpoint;
        aligning = aborted.contains(checkpoint) ? Optional.empty() : Optional.of(checkpoint);
      }
      if (aligning.equals(Optional.of(checkpoint))) {
        blocked.add(channel);
      }
      return complete();
    }

    List<ControlElement> end(int channel) {
      ended.add(channel);
      return ended.size() == 3 ? List.of() : complete();
    }

    void abort(long checkpoint) {
      aborted.add(checkpoint);
      if (aligning.equals(Optional.of(checkpoint))) {
        aligning = Optional.empty();
        blocked.clear();
      }
    }

    private List<ControlElement> complete() {
      if (aligning.isEmpty() || blocked.size() + ended.size() < 3) {
        return List.of();
      }
      long checkpoint = aligning.get();
      aligning = Optional.empty();
      blocked.clear();
      return List.of(InputChannelsTest.barrier(checkpoint));
    }
  }

  @Test
  @Behaviour("H3: records behind a barrier wait until the barrier has come on all channels")
  void alignsAsAModelDoesInWhicheverOrderBarriersEndsAndAbortsCome() {
    for (long seed = 1; seed <= 2000; seed++) {
      Random random = new Random(seed);
      Alignments heard = new Alignments();
      InputChannels channels = new InputChannels(List.of(wide, narrow), 0, metrics, heard);
      AlignmentModel model = new AlignmentModel();
      ArrayDeque<RecordBatch> inbox = new ArrayDeque<>();
      List<ArrayDeque<RecordBatch>> unread = new ArrayList<>();
      long[] next = {1, 1, 1};
      boolean[] sentAll = new boolean[3];
      for (int channel = 0; channel < 3; channel++) {
        unread.add(new ArrayDeque<>());
      }
      for (int i = 0; i < 120; i++) {
        int channel = random.nextInt(3);
        switch (random.nextInt(i > 60 ? 8 : 7)) {
          case 0, 1, 2 -> {
            if (!sentAll[channel]) {
              RecordBatch sent = batch(channel);
              if (random.nextInt(3) == 0) {
                // Now and then a producer leaves checkpoints out.
                next[channel] += random.nextInt(8) == 0 ? 1 + random.nextInt(2) : 0;
                sent.control = barrier(next[channel]++);
              }
              inbox.add(sent);
              unread.get(channel).add(sent);
            }
          }
          case 6 -> {
            long checkpoint = 1 + random.nextInt(12);
            channels.abort(checkpoint);
            model.abort(checkpoint);
          }
          case 7 -> {
            if (!sentAll[channel]) {
              sentAll[channel] = true;
              RecordBatch last = batch(channel);
              last.control = END;
              inbox.add(last);
              unread.get(channel).add(last);
            }
          }
          default -> read(seed, channels, model, inbox, unread);
        }
        assertThat(heard.superseded).as("seed %s", seed).isEqualTo(model.superseded);
      }
      while (unread.stream().anyMatch(waiting -> !waiting.isEmpty())) {
        if (!read(seed, channels, model, inbox, unread)) {
          long checkpoint = model.aligning.orElseThrow();
          channels.abort(checkpoint);
          model.abort(checkpoint);
        }
      }
    }
  }

  /** Reads a batch and applies its control element; false if there is none. */
  private static boolean read(
      long seed,
      InputChannels channels,
      AlignmentModel model,
      ArrayDeque<RecordBatch> inbox,
      List<ArrayDeque<RecordBatch>> unread) {
    Optional<RecordBatch> read = channels.next(inbox::poll);
    boolean any =
        IntStream.range(0, 3).anyMatch(i -> !model.blocked.contains(i) && !unread.get(i).isEmpty());
    assertThat(read.isPresent()).as("seed %s", seed).isEqualTo(any);
    if (read.isEmpty()) {
      return false;
    }
    RecordBatch batch = read.get();
    assertThat(model.blocked).as("seed %s", seed).doesNotContain(batch.channel);
    assertThat(unread.get(batch.channel).poll()).as("seed %s", seed).isSameAs(batch);
    if (batch.control instanceof ControlElement.CheckpointBarrier barrier) {
      assertThat(channels.control(batch.channel, barrier))
          .as("seed %s", seed)
          .isEqualTo(model.barrier(batch.channel, barrier.request().checkpoint()));
    } else if (batch.control == END) {
      // Without watermarks an end passes on nothing but barriers.
      assertThat(channels.control(batch.channel, END))
          .as("seed %s", seed)
          .isEqualTo(model.end(batch.channel));
    }
    return true;
  }

  @Test
  void pointwiseEdgesConnectNeighboursTheSameFromBothSides() {
    for (int sources = 1; sources <= 7; sources++) {
      for (int targets = 1; targets <= 7; targets++) {
        TestJobGraph program = new TestJobGraph();
        JobVertex from = program.vertex("from", sources, Fixtures.numbers(1));
        JobVertex to = program.vertex("to", targets, Fixtures.discard());
        program.edge(from, to, Partitioning.RESCALE);
        ExchangeEdge plan =
            new ExchangeEdge(
                program.build().edges().get(0),
                from,
                to,
                0,
                0,
                new ExchangeTask[sources],
                new ExchangeTask[targets],
                new int[sources],
                new int[targets]);
        for (int p = 0; p < sources; p++) {
          assertThat(plan.endConsumer(p)).isGreaterThan(plan.firstConsumer(p));
          for (int c = 0; c < targets; c++) {
            boolean forth = c >= plan.firstConsumer(p) && c < plan.endConsumer(p);
            boolean back = p >= plan.firstProducer(c) && p < plan.endProducer(c);
            assertThat(forth).as("%s/%s to %s/%s", p, sources, c, targets).isEqualTo(back);
          }
        }
      }
    }
  }
}
