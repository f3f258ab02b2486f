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
import java.util.List;
import java.util.Random;
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
  private final InputChannels inputs = new InputChannels(List.of(wide, narrow), 0, metrics, new Alignments());

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
