package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import io.millrace.core.config.CoreOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * The examples in the Javadoc of the API compile. An example is the body of a method in a class
 * that has an environment {@code env} and two streams, {@code orders} and {@code payments}.
 */
class JavadocExamplesTest {
  private static final Path SOURCES = Path.of("src/main/java/io/millrace/api");
  private static final Pattern EXAMPLE =
      Pattern.compile("<pre>\\{@code\n(.*?)\\}</pre>", Pattern.DOTALL);

  private static final String BEFORE =
      """
      import io.millrace.api.*;
      import io.millrace.api.async.*;
      import io.millrace.api.custom.*;
      import io.millrace.api.execution.*;
      import io.millrace.api.format.*;
      import io.millrace.api.function.*;
      import io.millrace.api.process.*;
      import io.millrace.api.serialization.*;
      import io.millrace.api.sink.*;
      import io.millrace.api.source.*;
      import io.millrace.api.state.*;
      import io.millrace.api.time.*;
      import io.millrace.api.window.*;
      import java.io.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.CompletableFuture;

      class %s {
        record Order(String customer, long time, long cents) {}
        record Payment(String customer, long time, long cents) {}
        StreamEnvironment env;
        DataStream<Order> orders;
        DataStream<Payment> payments;

        void example() throws Exception {
      """;

  /** Classes of streams and of the operators of a program, which start a reader's search. */
  private static final List<String> WITH_EXAMPLE =
      List.of(
          "AllWindowedStream",
          "AsyncDataStream",
          "BroadcastStream",
          "CachedStream",
          "CoGroupedStreams",
          "CollectedRecords",
          "ConnectedStreams",
          "DataSink",
          "DataStream",
          "IntervalJoin",
          "JoinedStreams",
          "KeyedStream",
          "LookupJoin",
          "StreamEnvironment",
          "WindowedStream",
          "async/AsyncFunction",
          "async/AsyncRetryStrategy",
          "async/LookupCache",
          "custom/OneInputOperator",
          "custom/TwoInputOperator",
          "execution/JobExecutionListener",
          "function/AggregateFunction",
          "function/LookupFunction",
          "function/Partitioner",
          "process/BroadcastProcessFunction",
          "process/CoProcessFunction",
          "process/KeyedCoProcessFunction",
          "process/KeyedProcessFunction",
          "process/OutputTag",
          "process/ProcessAllWindowFunction",
          "process/ProcessFunction",
          "process/ProcessJoinFunction",
          "process/ProcessWindowFunction",
          "process/RichFunction",
          "process/WindowMapFunction",
          "serialization/Serializer",
          "time/WatermarkStrategy",
          "window/CustomWindows",
          "window/EventTimeSessionWindows",
          "window/Evictor",
          "window/GlobalWindows",
          "window/SlidingEventTimeWindows",
          "window/Trigger",
          "window/TumblingEventTimeWindows");

  /** The examples by file. */
  private static Map<String, List<String>> examples() throws IOException {
    Map<String, List<String>> examples = new LinkedHashMap<>();
    List<Path> files;
    try (Stream<Path> walked = Files.walk(SOURCES)) {
      files = walked.filter(path -> path.toString().endsWith(".java")).sorted().toList();
    }
    for (Path file : files) {
      Matcher matcher = EXAMPLE.matcher(Files.readString(file));
      while (matcher.find()) {
        String name = SOURCES.relativize(file).toString().replace(".java", "");
        examples
            .computeIfAbsent(name, any -> new ArrayList<>())
            .add(matcher.group(1).replaceAll("(?m)^ *\\* ?", ""));
      }
    }
    return examples;
  }

  @Test
  void everyExampleCompiles() throws IOException {
    List<JavaFileObject> sources = new ArrayList<>();
    examples()
        .forEach(
            (file, texts) ->
                texts.forEach(
                    text -> {
                      String name = file.replace('/', '_') + sources.size();
                      sources.add(new Source(name, BEFORE.formatted(name) + text + "\n  }\n}\n"));
                    }));
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    String classPath =
        Stream.of(StreamEnvironment.class, CoreOptions.class)
            .map(type -> type.getProtectionDomain().getCodeSource().getLocation().toString())
            .map(location -> Path.of(URI.create(location)).toString())
            .reduce((one, other) -> one + System.getProperty("path.separator") + other)
            .orElseThrow();
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(
                    null,
                    null,
                    found,
                    List.of("-proc:none", "-Xlint:unchecked", "-cp", classPath),
                    null,
                    sources);
    task.analyze();

    assertThat(found.getDiagnostics())
        .filteredOn(one -> one.getKind() != Diagnostic.Kind.NOTE)
        .extracting(one -> one.getSource().getName() + " " + one.getMessage(Locale.ROOT))
        .isEmpty();
  }

  @Test
  void streamsAndFunctionsHaveAnExample() throws IOException {
    assertThat(examples().keySet()).containsAll(WITH_EXAMPLE);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
