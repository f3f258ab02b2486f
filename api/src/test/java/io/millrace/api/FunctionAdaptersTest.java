package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.function.FlatMapIterableFunction;
import io.millrace.api.process.CheckpointedFunction;
import io.millrace.api.process.OutputTag;
import io.millrace.api.process.ProcessWindowFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.process.UnkeyedContext;
import io.millrace.api.process.WindowMapFunction;
import io.millrace.api.window.TimeWindow;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class FunctionAdaptersTest {
  private static final TimeWindow WINDOW = new TimeWindow(10, 20);

  private final List<Object> emitted = new ArrayList<>();

  @Test
  void resultsOfAFlatMapAreEmittedInTheirOrder() throws Exception {
    var flatMap =
        new FunctionAdapters.FlatMapIterable<String, String>(line -> List.of(line.split(" ")));

    flatMap.flatMap("a b c", emitted::add);
    flatMap.flatMap("d", emitted::add);

    assertThat(emitted).containsExactly("a", "b", "c", "d");
  }

  @Test
  void emptyListEmitsNothingAndNullIsTheUsersError() throws Exception {
    new FunctionAdapters.FlatMapIterable<String, String>(line -> List.of())
        .flatMap("a", emitted::add);
    assertThat(emitted).isEmpty();

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(
            () ->
                new FunctionAdapters.FlatMapIterable<String, String>(line -> null)
                    .flatMap("a", emitted::add))
        .withMessage(
            "The function of a flatMap returned null. Return an empty list for a record without"
                + " results.")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  /** A large result is not copied into memory before the first of it is emitted. */
  @Test
  void resultsAreEmittedWhileTheyAreRead() throws Exception {
    List<String> log = new ArrayList<>();
    Iterator<Integer> numbers =
        new Iterator<>() {
          private int next;

          @Override
          public boolean hasNext() {
            return next < 2;
          }

          @Override
          public Integer next() {
            log.add("read " + next);
            return next++;
          }
        };

    new FunctionAdapters.FlatMapIterable<String, Integer>(line -> () -> numbers)
        .flatMap("a", number -> log.add("emit " + number));

    assertThat(log).containsExactly("read 0", "emit 0", "read 1", "emit 1");
  }

  @Test
  void exceptionOfTheFunctionIsNotWrapped() {
    var flatMap =
        new FunctionAdapters.FlatMapIterable<String, String>(
            line -> {
              throw new IOException("bad line " + line);
            });

    assertThatThrownBy(() -> flatMap.flatMap("x", emitted::add))
        .isInstanceOf(IOException.class)
        .hasMessage("bad line x");
  }

  @Test
  void windowFunctionOfRecordsGetsKeyWindowAndRecords() throws Exception {
    var adapter =
        new FunctionAdapters.MapRecords<Integer, String, String>(
            (key, window, records) -> key + window.start() + ".." + window.end() + records);

    adapter.process("k", new WindowContext(), List.of(1, 2), emitted::add);

    assertThat(emitted).containsExactly("k10..20[1, 2]");
  }

  @Test
  void windowFunctionOfAFoldedValueGetsTheOneValue() throws Exception {
    var adapter =
        new FunctionAdapters.MapFolded<Integer, String, String>(
            (key, window, value) -> key + window.maxTimestamp() + "=" + value);

    adapter.process("k", new WindowContext(), List.of(7), emitted::add);

    assertThat(emitted).containsExactly("k19=7");
  }

  @Test
  void richFunctionIsOpenedAndClosedInsideItsAdapter() throws Exception {
    RichFlatMap rich = new RichFlatMap();
    var adapter = new FunctionAdapters.FlatMapIterable<>(rich);
    UnkeyedContext context = new UnkeyedContext();

    adapter.open(context);
    adapter.flatMap("a", emitted::add);
    adapter.close();

    assertThat(rich.opened).isSameAs(context);
    assertThat(rich.closed).isTrue();
    assertThat(emitted).containsExactly("a0");
  }

  @Test
  void richWindowFunctionsAreOpenedAndClosedToo() throws Exception {
    RichWindowMap<Iterable<Integer>> ofRecords = new RichWindowMap<>();
    RichWindowMap<Integer> ofValue = new RichWindowMap<>();
    UnkeyedContext context = new UnkeyedContext();

    for (RichFunction adapter :
        List.of(
            new FunctionAdapters.MapRecords<>(ofRecords),
            new FunctionAdapters.MapFolded<>(ofValue))) {
      adapter.open(context);
      adapter.close();
    }

    assertThat(ofRecords.opened).isSameAs(context);
    assertThat(ofRecords.closed).isTrue();
    assertThat(ofValue.opened).isSameAs(context);
    assertThat(ofValue.closed).isTrue();
  }

  /** Remembers the calls at checkpoints. */
  private static final class Checkpointed
      implements FlatMapIterableFunction<String, String>, CheckpointedFunction {
    private static final long serialVersionUID = 1L;
    private final List<String> calls = new ArrayList<>();

    @Override
    public Iterable<String> flatMap(String record) {
      return List.of();
    }

    @Override
    public void snapshotState(long checkpoint) {
      calls.add("snapshot " + checkpoint);
    }

    @Override
    public void checkpointCompleted(long checkpoint) {
      calls.add("completed " + checkpoint);
    }
  }

  @Test
  void checkpointedFunctionIsCalledAtCheckpointsInsideItsAdapter() throws Exception {
    Checkpointed function = new Checkpointed();
    var adapter = new FunctionAdapters.FlatMapIterable<>(function);

    adapter.snapshotState(3);
    adapter.checkpointCompleted(3);

    assertThat(function.calls).containsExactly("snapshot 3", "completed 3");
    assertThat(FunctionAdapters.isRich(adapter)).isTrue();
    var plain = new FunctionAdapters.FlatMapIterable<String, String>(List::of);
    plain.snapshotState(3);
    plain.checkpointCompleted(3);
    assertThat(FunctionAdapters.isRich(plain)).isFalse();
  }

  @Test
  void plainFunctionNeedsNoOpening() throws Exception {
    var adapter = new FunctionAdapters.FlatMapIterable<String, String>(List::of);

    adapter.open(new UnkeyedContext());
    adapter.close();
    adapter.flatMap("still works", emitted::add);

    assertThat(emitted).containsExactly("still works");
  }

  @Test
  void adapterTravelsWithItsFunction() throws Exception {
    var adapter = new FunctionAdapters.FlatMapIterable<String, String>(line -> List.of(line, line));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(adapter);
    }

    Object read;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      read = in.readObject();
    }

    @SuppressWarnings("unchecked")
    var copy = (FunctionAdapters.FlatMapIterable<String, String>) read;
    copy.flatMap("x", emitted::add);
    assertThat(emitted).containsExactly("x", "x");
  }

  private static final class RichFlatMap
      implements FlatMapIterableFunction<String, String>, RichFunction {
    private static final long serialVersionUID = 1L;

    private transient RuntimeContext opened;
    private boolean closed;

    @Override
    public void open(RuntimeContext context) {
      opened = context;
    }

    @Override
    public Iterable<String> flatMap(String record) {
      return List.of(record + opened.subtask());
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class RichWindowMap<V>
      implements WindowMapFunction<V, String, String>, RichFunction {
    private static final long serialVersionUID = 1L;

    private transient RuntimeContext opened;
    private boolean closed;

    @Override
    public void open(RuntimeContext context) {
      opened = context;
    }

    @Override
    public String map(String key, TimeWindow window, V content) {
      return key;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static final class WindowContext implements ProcessWindowFunction.Context {
    @Override
    public TimeWindow window() {
      return WINDOW;
    }

    @Override
    public long currentWatermark() {
      return 19;
    }

    @Override
    public long currentProcessingTime() {
      return 30;
    }

    @Override
    public <X> void output(OutputTag<X> tag, X record) {
      throw new AssertionError("No side output was expected");
    }
  }
}
