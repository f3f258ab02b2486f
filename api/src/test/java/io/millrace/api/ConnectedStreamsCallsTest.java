package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.MapFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.program.Transformation;
import io.millrace.api.sink.DiscardSink;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.StateTtl;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What connected streams add to a program. */
@ResourceLock("bound program context")
class ConnectedStreamsCallsTest {
  private static List<Transformation> added(Calls calls) throws Exception {
    RecordingExecutor executor = new RecordingExecutor();
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              calls.on(env);
              env.execute("job");
              return null;
            });
    return executor.programs.get(0).transformations();
  }

  private interface Calls {
    void on(StreamEnvironment env) throws Exception;
  }

  private static OperatorSpec lastSpec(List<Transformation> added) {
    return ((Transformation.Operator) added.get(added.size() - 2)).spec();
  }

  /** Notes what is called. */
  private static final class Noting implements MapFunction<Integer, Integer>, RichFunction {
    private static final long serialVersionUID = 1L;
    private static final List<String> CALLS = new ArrayList<>();
    private final String name;

    Noting(String name) {
      this.name = name;
    }

    @Override
    public Integer map(Integer number) {
      return number;
    }

    @Override
    public void open(RuntimeContext context) {
      CALLS.add("open " + name);
    }

    @Override
    public void close() {
      CALLS.add("close " + name);
      throw new IllegalStateException(name);
    }
  }

  @Test
  void operatorHasBothStreamsAsInputsInOrder() throws Exception {
    List<Transformation> added =
        added(
            env -> {
              DataStream<Integer> first = env.fromElements(1);
              DataStream<String> second = env.fromElements("two");
              second
                  .connect(first)
                  .map(text -> text.length(), number -> number)
                  .sinkTo(new DiscardSink<>());
            });

    Transformation.Operator operator = (Transformation.Operator) added.get(2);
    assertThat(operator.name()).isEqualTo("coMap");
    assertThat(operator.inputs()).containsExactly(1, 0);
    assertThat(operator.spec()).isInstanceOf(OperatorSpec.CoMap.class);
  }

  @Test
  void richFunctionsOfKeyedStreamsGetTheirKeys() throws Exception {
    assertThat(
            lastSpec(
                added(
                    env -> {
                      KeyedStream<Integer, Integer> keyed = env.fromElements(1).keyBy(n -> n);
                      keyed.connect(keyed).map(n -> n, n -> n).sinkTo(new DiscardSink<>());
                    })))
        .isInstanceOf(OperatorSpec.CoMap.class);
    assertThat(
            lastSpec(
                added(
                    env -> {
                      KeyedStream<Integer, Integer> keyed = env.fromElements(1).keyBy(n -> n);
                      keyed
                          .connect(keyed)
                          .map(n -> n, new Noting("second"))
                          .sinkTo(new DiscardSink<>());
                    })))
        .isInstanceOf(OperatorSpec.KeyedCo.class);
  }

  @Test
  void bothFunctionsAreOpenedAndClosedEvenIfOneThrows() throws Exception {
    Noting.CALLS.clear();
    FunctionAdapters.CoMap<Integer, Integer, Integer> both =
        new FunctionAdapters.CoMap<>(new Noting("first"), new Noting("second"));
    both.open(null);

    assertThatThrownBy(both::close).hasMessage("first");
    assertThat(Noting.CALLS)
        .containsExactly("open first", "open second", "close first", "close second");
  }

  @Test
  void streamsOfTwoEnvironmentsAreRefused() throws Exception {
    added(
        env -> {
          DataStream<Integer> other = StreamEnvironment.current().fromElements(2);
          DataStream<Integer> numbers = env.fromElements(1);
          numbers.print();
          assertThatThrownBy(() -> numbers.connect(other))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("two environments");
          assertThatThrownBy(() -> numbers.connect(other.broadcast(RULES)))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("two environments");
        });
  }

  private static final MapStateDescriptor<String, String> RULES = new MapStateDescriptor<>("rules");

  @Test
  void broadcastStatesHaveNamesOfTheirOwnAndNoTimeToLive() throws Exception {
    added(
        env -> {
          DataStream<Integer> numbers = env.fromElements(1);
          numbers.print();
          assertThatThrownBy(() -> numbers.broadcast(RULES, new MapStateDescriptor<>("rules")))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("Two broadcast states have the name 'rules'");
          assertThatThrownBy(
                  () ->
                      numbers.broadcast(RULES.withTtl(StateTtl.afterWrite(Duration.ofSeconds(1)))))
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("time to live");
        });
  }
}
