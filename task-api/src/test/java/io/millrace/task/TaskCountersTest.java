package io.millrace.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.VertexId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TaskCountersTest {
  private static final TaskCounters COUNTERS =
      new TaskCounters(new ExecutionId(new Id128(1, 2)), 1, 2, 3, 4, 50, 60, 70);

  @Test
  void threeTimesAddUpToTheAge() {
    assertThat(COUNTERS.millis()).isEqualTo(180);
  }

  @Test
  void threadAndEventTimeAreAddedAndTheRestIsKept() {
    TaskThread thread = new TaskThread(TaskThread.Kind.OWN, 5, "it slept", 1, 64);
    TaskEventTime eventTime = new TaskEventTime(10, 9, 12, 0, 2, 0, Optional.empty());

    TaskCounters both = COUNTERS.on(thread).at(eventTime);

    assertThat(both.thread()).contains(thread);
    assertThat(both.eventTime()).contains(eventTime);
    assertThat(both)
        .isEqualTo(
            new TaskCounters(
                COUNTERS.execution(),
                1,
                2,
                3,
                4,
                50,
                60,
                70,
                Optional.of(thread),
                Optional.of(eventTime),
                Optional.empty()))
        .isEqualTo(COUNTERS.at(eventTime).on(thread));
    TaskSplits splits = new TaskSplits(false, 3, 1);
    assertThat(both.with(splits).splits()).contains(splits);
    assertThat(COUNTERS.with(splits).on(thread).at(eventTime)).isEqualTo(both.with(splits));
  }

  @Test
  void eventTimeIsHeldBackOnlyByAnInputThatIsBehindOthers() {
    Optional<InputSubtask> slowest =
        Optional.of(new InputSubtask(new VertexId(new Id128(3, 4)), 1));
    assertThat(new TaskEventTime(10, 9, 12, 0, 2, 0, slowest).isHeldBack()).isTrue();
    assertThat(new TaskEventTime(12, 9, 12, 0, 2, 0, slowest).isHeldBack()).isFalse();
    assertThat(new TaskEventTime(10, 9, 12, 0, 2, 0, Optional.empty()).isHeldBack()).isFalse();
  }
}
