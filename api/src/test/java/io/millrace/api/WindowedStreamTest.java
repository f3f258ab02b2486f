package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.operator.WindowSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import io.millrace.api.window.WindowAssigner;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

@ResourceLock("bound program context")
class WindowedStreamTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Program program(Consumer<StreamEnvironment> main) throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              main.accept(env);
              return env.executeAsync("test");
            });
    return executor.programs.get(0);
  }

  private static <S> List<S> specs(Program program, Class<S> type) {
    return program.transformations().stream()
        .filter(Transformation.Operator.class::isInstance)
        .map(operator -> ((Transformation.Operator) operator).spec())
        .filter(type::isInstance)
        .map(type::cast)
        .toList();
  }

  @Test
  void saysEverythingInOneOperator() throws Exception {
    OutputTag<Integer> late = new OutputTag<>("late");
    Program program =
        program(
            env -> {
              DataStream<Integer> reduced =
                  env.fromElements(1, 2, 3)
                      .assignTimestampsAndWatermarks(
                          WatermarkStrategy.forMonotonousTimestamps(number -> number))
                      .keyBy(number -> number)
                      .window(TumblingEventTimeWindows.of(MINUTE))
                      .allowedLateness(Duration.ofSeconds(5))
                      .sideOutputLateData(late)
                      .reduce(Integer::sum);
              reduced.print();
              reduced.sideOutput(late).print();
            });
    WindowSpec window = specs(program, OperatorSpec.Window.class).get(0).window();
    assertThat(window.assigner()).isEqualTo(new WindowAssigner.Aligned(60_000, 60_000, 0, true));
    assertThat(window.latenessMillis()).isEqualTo(5000);
    assertThat(window.lateOutput()).isEqualTo("late");
    assertThat(window.content()).isInstanceOf(WindowSpec.Content.Reduced.class);
    assertThat(window.function()).isEqualTo(WindowSpec.PassThrough.INSTANCE);
    assertThat(program.transformations())
        .filteredOn(Transformation.SideOutput.class::isInstance)
        .extracting(side -> ((Transformation.SideOutput) side).tag())
        .containsExactly("late");
    assertThat(specs(program, OperatorSpec.Timestamps.class).get(0).finalOnly()).isFalse();
  }

  @Test
  void eventTimeStandsStillInBatchMode() throws Exception {
    Program program =
        program(
            env -> {
              env.runtimeMode(RuntimeMode.BATCH);
              env.fromElements(1)
                  .assignTimestampsAndWatermarks(WatermarkStrategy.<Integer>noWatermarks())
                  .print();
            });
    assertThat(specs(program, OperatorSpec.Timestamps.class).get(0).finalOnly()).isTrue();
  }

  @Test
  void windowsContainTheirStartAndNotTheirEnd() {
    WindowAssigner.Aligned windows =
        (WindowAssigner.Aligned)
            TumblingProcessingTimeWindows.of(Duration.ofMillis(10), Duration.ofMillis(3));
    assertThat(windows.isEventTime()).isFalse();
    assertThat(windows.lastStart(3)).isEqualTo(3);
    assertThat(windows.lastStart(2)).isEqualTo(-7);
    assertThat(windows.lastStart(-7)).isEqualTo(-7);
    assertThat(windows.lastStart(12)).isEqualTo(3);
    assertThat(windows.lastStart(13)).isEqualTo(13);
  }

  @Test
  @Behaviour("H1: sources, sinks and settings refuse illegal arguments at the call")
  void refusesWindowsThatCannotBe() {
    assertRefused(() -> TumblingEventTimeWindows.of(Duration.ZERO), "Windows of 0 ms");
    assertRefused(() -> SlidingEventTimeWindows.of(MINUTE, Duration.ofMillis(-1)), "every -1 ms");
    assertRefused(() -> TumblingEventTimeWindows.of(MINUTE, MINUTE), "offset 60000 ms");
    assertRefused(() -> EventTimeSessionWindows.withGap(Duration.ZERO), "gap between sessions");
    assertRefused(
        () -> WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(-1)), "not by -1 ms");
    assertRefused(
        () -> WatermarkStrategy.noWatermarks().withIdleness(Duration.ZERO), "1 ms or more");
    assertRefused(() -> new OutputTag<>(" "), "side output's id");
  }

  private static void assertRefused(Runnable call, String why) {
    assertThatThrownBy(call::run).isInstanceOf(MillraceException.class).hasMessageContaining(why);
  }

  @Test
  void onlyOperatorsHaveSideOutputs() {
    assertThatThrownBy(
            () ->
                program(env -> env.fromElements(1).rebalance().sideOutput(new OutputTag<>("late"))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'rebalance' only says which way records go");
  }
}
