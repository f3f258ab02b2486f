package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Transformation;
import io.millrace.api.window.ContinuousEventTimeTrigger;
import io.millrace.api.window.CountEvictor;
import io.millrace.api.window.CountTrigger;
import io.millrace.api.window.DeltaTrigger;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.EventTimeTrigger;
import io.millrace.api.window.GlobalWindows;
import io.millrace.api.window.ProcessingTimeTrigger;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Which windows run as operators of their own, and which calls are refused. */
@ResourceLock("bound program context")
class TriggeredWindowCallsTest {
  private static OperatorSpec spec(Function<KeyedStream<Integer, Integer>, DataStream<?>> windows)
      throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              windows.apply(env.fromElements(1).keyBy(number -> number)).print();
              env.execute("job");
              return null;
            });
    return executor.programs.get(0).transformations().stream()
        .filter(Transformation.Operator.class::isInstance)
        .map(each -> ((Transformation.Operator) each).spec())
        .filter(
            each ->
                each instanceof OperatorSpec.Window || each instanceof OperatorSpec.KeyedProcessing)
        .findFirst()
        .orElseThrow();
  }

  private static WindowedStream<Integer, Integer> minutes(KeyedStream<Integer, Integer> keyed) {
    return keyed.window(TumblingEventTimeWindows.of(Duration.ofMinutes(1)));
  }

  @Test
  void windowsWithTheDefaultTriggerHaveAnOperatorOfTheirOwn() throws Exception {
    assertThat(spec(keyed -> minutes(keyed).count())).isInstanceOf(OperatorSpec.Window.class);
    assertThat(spec(keyed -> minutes(keyed).trigger(EventTimeTrigger.create()).count()))
        .isInstanceOf(OperatorSpec.Window.class);
    assertThat(spec(keyed -> minutes(keyed).trigger(ProcessingTimeTrigger.create()).count()))
        .isInstanceOf(OperatorSpec.KeyedProcessing.class);
    assertThat(spec(keyed -> minutes(keyed).evictor(CountEvictor.of(3)).count()))
        .isInstanceOf(OperatorSpec.KeyedProcessing.class);
  }

  @Test
  void windowsThatCannotFireOrMergeAreRefused() {
    assertThatThrownBy(() -> spec(keyed -> keyed.window(GlobalWindows.create()).count()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("Set a trigger");
    assertThatThrownBy(
            () ->
                spec(
                    keyed ->
                        keyed
                            .window(EventTimeSessionWindows.withGap(Duration.ofSeconds(1)))
                            .trigger(DeltaTrigger.of(1, (older, newer) -> newer - older))
                            .count()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("DeltaTrigger does not say how");
    assertThatThrownBy(() -> CountTrigger.of(0)).isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> CountEvictor.of(-1)).isInstanceOf(MillraceException.class);
    assertThatThrownBy(() -> ContinuousEventTimeTrigger.of(Duration.ZERO))
        .isInstanceOf(MillraceException.class);
  }

  @Test
  void emptyIntervalOfAJoinIsRefused() {
    assertThatThrownBy(
            () ->
                spec(
                    keyed ->
                        keyed
                            .intervalJoin(keyed)
                            .between(Duration.ofSeconds(1), Duration.ZERO)
                            .apply((left, right) -> left)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("is empty");
  }
}
