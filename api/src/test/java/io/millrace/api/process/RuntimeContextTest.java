package io.millrace.api.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The defaults that a function sees outside of a keyed stream. */
class RuntimeContextTest {
  static Stream<Consumer<RuntimeContext>> requestsForState() {
    return Stream.of(
        context -> context.state(new ValueStateDescriptor<Integer>("seen")),
        context -> context.listState(new ListStateDescriptor<Integer>("seen")),
        context -> context.mapState(new MapStateDescriptor<Integer, Integer>("seen")),
        context -> context.reducingState(new ReducingStateDescriptor<>("seen", Integer::sum)),
        context -> context.aggregatingState(new AggregatingStateDescriptor<>("seen", new Last())));
  }

  @ParameterizedTest
  @MethodSource("requestsForState")
  void functionWithoutAKeyHasNoState(Consumer<RuntimeContext> request) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> request.accept(new UnkeyedContext()))
        .withMessage(
            "State 'seen' belongs to a key, and the function of operator 'my map' has none. Use the"
                + " function directly behind keyBy, or use operator state.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  static Stream<Consumer<RuntimeContext>> requestsForOperatorState() {
    return Stream.of(
        context -> context.operatorListState(new ListStateDescriptor<Integer>("seen")),
        context -> context.unionListState(new ListStateDescriptor<Integer>("seen")),
        context -> context.broadcastState(new MapStateDescriptor<Integer, Integer>("seen")));
  }

  @ParameterizedTest
  @MethodSource("requestsForOperatorState")
  void contextWithoutOperatorStateSaysSo(Consumer<RuntimeContext> request) {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> request.accept(new UnkeyedContext()))
        .withMessage("Operator 'my map' has no operator state 'seen' here.");
  }

  @Test
  void valueOfAKeyThatHasNoneIsTheDefault() {
    HeldValue state = new HeldValue();

    assertThat(state.valueOr(7)).isEqualTo(7);
    state.update(0);
    assertThat(state.valueOr(7)).isZero();
    state.clear();
    assertThat(state.valueOr(7)).isEqualTo(7);
  }

  @Test
  void functionNeedNotOverrideOpenCloseAndTimers() throws Exception {
    KeyedProcessFunction<Integer, Integer, Integer> function =
        new KeyedProcessFunction<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public void process(Integer record, Context<Integer> context, Collector<Integer> out) {
            out.emit(record);
          }
        };

    function.open(new UnkeyedContext());
    function.onTimer(
        1,
        null,
        record -> {
          throw new AssertionError("A timer that is not used emits nothing");
        });
    function.close();
  }

  @Test
  void propertiesOfAnExternalResourceAreSortedAndCopied() {
    Map<String, String> properties = new LinkedHashMap<>();
    properties.put("uuid", "GPU-1");
    properties.put("index", "0");
    ExternalResourceInfo info = new ExternalResourceInfo(properties);
    properties.clear();

    assertThat(info.properties().keySet()).containsExactly("index", "uuid");
    assertThat(info.property("uuid")).contains("GPU-1");
    assertThat(info.property("name")).isEmpty();
    assertThat(ExternalResourceInfo.ofIndex("3").property(ExternalResourceInfo.INDEX))
        .contains("3");
  }

  private static final class HeldValue implements ValueState<Integer> {
    private Integer value;

    @Override
    public Integer value() {
      return value;
    }

    @Override
    public void update(Integer value) {
      this.value = value;
    }

    @Override
    public void clear() {
      value = null;
    }
  }

  private static final class Last implements AggregateFunction<Integer, Integer, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer create() {
      return 0;
    }

    @Override
    public Integer add(Integer accumulator, Integer record) {
      return record;
    }

    @Override
    public Integer result(Integer accumulator) {
      return accumulator;
    }
  }
}
