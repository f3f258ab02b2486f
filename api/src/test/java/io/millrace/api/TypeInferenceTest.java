package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import io.millrace.core.config.CoreOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiles programs as users write them, without type witnesses and casts. */
class TypeInferenceTest {
  private static final String BEFORE =
      """
      import io.millrace.api.*;
      import io.millrace.api.function.*;
      import io.millrace.api.process.*;
      import io.millrace.api.state.*;
      import io.millrace.api.time.*;
      import io.millrace.api.window.*;
      import java.time.Duration;
      import java.util.*;

      class Snippet {
        record Event(String user, long time) {}
        record Top(String user, long count) {}
        static final class Longest implements AggregateFunction<Event, long[], Long> {
          public long[] create() { return new long[1]; }
          public long[] add(long[] longest, Event event) { return longest; }
          public Long result(long[] longest) { return longest[0]; }
        }
        static final class Split implements FlatMapFunction<String, String> {
          public void flatMap(String line, Collector<String> out) {}
        }
        static final MapStateDescriptor<String, Long> RULES = new MapStateDescriptor<>("rules");
        static final class Pairs extends KeyedCoProcessFunction<String, Event, String, Top> {
          public void process1(Event event, Context<String> context, Collector<Top> out) {
            context.timerService().registerEventTimeTimer(context.timestamp());
          }
          public void process2(String line, Context<String> context, Collector<Top> out) {
            out.emit(new Top(context.currentKey(), 1));
          }
        }
        static final class Ruled extends BroadcastProcessFunction<Event, String, String> {
          public void process(Event event, ReadOnlyContext context, Collector<String> out) {
            Long time = context.broadcastState(RULES).get(event.user());
          }
          public void processBroadcast(String line, Context context, Collector<String> out) {
            context.broadcastState(RULES).put(line, 1L);
          }
        }
        static final class KeyedRuled
            extends KeyedBroadcastProcessFunction<String, Event, String, String> {
          static final ValueStateDescriptor<Long> LAST = new ValueStateDescriptor<>("last");
          public void process(Event event, ReadOnlyContext<String> context, Collector<String> out) {
            context.timerService().registerEventTimeTimer(
                context.broadcastState(RULES).get(context.currentKey()));
          }
          public void processBroadcast(String line, Context<String> context, Collector<String> out)
              throws Exception {
            context.broadcastState(RULES).put(line, 1L);
            context.applyToKeyedState(LAST, (user, last) -> last.update(last.value() + 1));
          }
        }
        static void split(String line, Collector<String> out) {}
        static List<String> words(String line) { return List.of(); }

        static void program(DataStream<String> lines, DataStream<Event> events) {
          WindowAssigner minutes = TumblingEventTimeWindows.of(Duration.ofMinutes(1));
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        // flatMap in the middle of a chain
        "lines.flatMap(line -> List.of(line.split(\" \"))).keyBy(word -> word.length()).count();",
        "lines.flatMap(line -> Arrays.asList(line.split(\" \"))).map(String::length);",
        "lines.flatMap(Snippet::words).map(String::length);",
        "lines.flatMap(String.class, (line, out) -> out.emit(line)).map(String::length);",
        "lines.flatMap((String line, Collector<String> out) -> out.emit(line)).map(String::length);",
        "lines.flatMap(Snippet::split).map(word -> word.length());",
        "lines.flatMap(new Split()).map(word -> word.length());",
        "DataStream<String> words = lines.flatMap((line, out) -> out.emit(line));",
        "lines.flatMap(line -> { if (line.isEmpty()) return List.of(); return List.of(1); })"
            + ".filter(one -> one > 0);",
        // process in the middle of a chain
        "lines.process(String.class, (line, context, out) -> out.emit(line)).map(String::length);",
        "DataStream<Long> times = events.process((event, context, out) -> out.emit(1L));",
        // windows in the middle of a chain
        "events.keyBy(Event::user).window(minutes)"
            + ".process((user, window, all) -> new Top(user, all.iterator().next().time()))"
            + ".map(top -> top.count());",
        "events.keyBy(event -> event.user()).window(minutes)"
            + ".process(Top.class, (user, context, all, out) -> out.emit(new Top(user, 1)))"
            + ".map(top -> top.count());",
        "DataStream<Top> top = events.keyBy(Event::user).window(minutes)"
            + ".process((user, context, all, out) -> out.emit(new Top(user, 1)));",
        "events.keyBy(Event::user).window(minutes)"
            + ".aggregate(new Longest(), (user, window, longest) -> new Top(user, longest + 1))"
            + ".map(top -> top.user().length());",
        "events.keyBy(Event::user).window(minutes)"
            + ".reduce((one, two) -> one, (user, window, one) -> new Top(user, one.time()))"
            + ".map(top -> top.user().length());",
        // connected streams
        "lines.connect(events).map(line -> line.length(), event -> event.user().length())"
            + ".filter(length -> length > 1);",
        "lines.connect(events).flatMap(line -> List.of(line), event -> List.of(event.user()))"
            + ".map(String::length);",
        "events.keyBy(Event::user).connect(lines.keyBy(line -> line)).process(new Pairs())"
            + ".map(top -> top.count());",
        "events.connect(lines).keyBy(Event::user, line -> line).process(new Pairs())"
            + ".map(top -> top.count());",
        "ConnectedStreams<Event, String> both = events.keyBy(Event::user).connect(lines);",
        "events.connect(lines.broadcast(RULES)).process(new Ruled()).map(String::length);",
        "events.keyBy(Event::user).connect(lines.broadcast(RULES)).process(new KeyedRuled())"
            + ".map(String::length);",
        // joins
        "lines.lookupJoin(line -> line.length(), length -> List.of(length + 1L))"
            + ".apply((line, value) -> line + value.intValue()).map(String::length);",
        "events.join(lines).where(Event::user).equalTo(line -> line).window(minutes)"
            + ".apply((event, line) -> line.length() + event.time()).filter(time -> time > 1);",
        "events.coGroup(lines).where(Event::user).equalTo(line -> line).window(minutes)"
            + ".apply(String.class, (some, others, out) -> out.emit(others.iterator().next()))"
            + ".map(String::length);",
        "events.keyBy(Event::user).intervalJoin(lines.keyBy(line -> line))"
            + ".between(Duration.ZERO, Duration.ofMinutes(1)).leftOuter()"
            + ".apply((event, line) -> new Top(line, event.time())).map(top -> top.count());",
        // triggers, evictors and aggregations
        "events.keyBy(Event::user).window(minutes).trigger(CountTrigger.of(3))"
            + ".evictor(TimeEvictor.of(Duration.ofSeconds(1)))"
            + ".maxBy(Event::time).map(Event::user);",
        "events.keyBy(Event::user).window(GlobalWindows.create())"
            + ".trigger(PurgingTrigger.of(DeltaTrigger.of(5,"
            + " (Event older, Event newer) -> newer.time() - older.time()))).count();",
        "events.keyBy(Event::user).window(EventTimeSessionWindows.withDynamicGap(Event::time))"
            + ".count();",
        "events.keyBy(Event::user).min(Event::time).map(min -> min.key().length() + min.value());",
        "events.keyBy(event -> event.user()).maxBy(event -> event.time()).map(Event::user);",
        "events.windowAll(minutes).max(event -> event.user()).map(String::length);",
        // timestamps
        "events.assignTimestampsAndWatermarks("
            + "WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5))"
            + ".withTimestampAssigner((event, before) -> event.time())).keyBy(Event::user);",
        "events.assignTimestampsAndWatermarks("
            + "WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5))"
            + ".withIdleness(Duration.ofMinutes(1))"
            + ".withTimestampAssigner((event, before) -> event.time())).keyBy(Event::user);",
        "events.assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps()"
            + ".withTimestampAssigner((event, before) -> event.time()));",
        "events.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks()"
            + ".withTimestampAssigner((event, before) -> event.time()));",
        "events.assignTimestampsAndWatermarks("
            + "WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5), Event::time)"
            + ".withIdleness(Duration.ofMinutes(1)));",
        "events.assignTimestampsAndWatermarks("
            + "WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5)));",
        "WatermarkStrategy<Event> strategy ="
            + " WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofSeconds(5));"
            + " events.assignTimestampsAndWatermarks(strategy);",
        "events.assignTimestampsAndWatermarks("
            + "WatermarkStrategy.<Event>forBoundedOutOfOrderness(Duration.ofSeconds(5))"
            + ".withTimestampAssigner((event, before) -> event.time())"
            + ".withIdleness(Duration.ofMinutes(1)));",
      })
  void compiles(String program) throws IOException {
    assertThat(errorsOf(program)).isEmpty();
  }

  /** What the test would not notice if the compiler accepted everything. */
  @Test
  void typesThatDoNotFitAreRefused() throws IOException {
    assertThat(errorsOf("lines.flatMap(line -> List.of(1)).map(String::length);")).isNotEmpty();
    assertThat(errorsOf("lines.flatMap(String.class, (line, out) -> out.emit(1));")).isNotEmpty();
    assertThat(errorsOf("events.connect(lines).process(new Pairs());")).isNotEmpty();
    assertThat(errorsOf("lines.connect(events).map(line -> 1, event -> event.length());"))
        .isNotEmpty();
    assertThat(
            errorsOf(
                "events.assignTimestampsAndWatermarks("
                    + "WatermarkStrategy.forMonotonousTimestamps()"
                    + ".withTimestampAssigner((String other, long before) -> 0));"))
        .isNotEmpty();
  }

  private static List<String> errorsOf(String program) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    String classPath =
        String.join(
            System.getProperty("path.separator"),
            Stream.of(StreamEnvironment.class, CoreOptions.class)
                .map(TypeInferenceTest::home)
                .toList());
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null,
                null,
                found,
                List.of("-proc:none", "-Xlint:unchecked", "-cp", classPath),
                null,
                List.of(new Source(BEFORE + program + "\n  }\n}\n")));
    // No class file is made of it.
    task.analyze();
    return found.getDiagnostics().stream()
        .filter(one -> one.getKind() != Diagnostic.Kind.NOTE)
        .map(one -> one.getMessage(Locale.ROOT))
        .toList();
  }

  private static String home(Class<?> type) {
    return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()))
        .toString();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String text) {
      super(URI.create("string:///Snippet.java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
