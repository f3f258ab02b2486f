package io.millrace.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which line of a stack trace is the user's. */
class UserFrameTest {
  @Test
  void innermostFrameOfTheProgramIsShown() {
    assertThat(
            UserFrame.of(
                stack(
                    "java.lang.Integer.parseInt(Integer.java:652)",
                    "com.example.Parser.number(Parser.java:20)",
                    "com.example.Parser.map(Parser.java:12)",
                    "io.millrace.dataplane.operator.MapOperator.process(MapOperator.java:33)",
                    "java.lang.Thread.run(Thread.java:840)")))
        .contains("com.example.Parser.number(Parser.java:20)");
  }

  /** A library that the function calls is not the place that the user has to look at. */
  @Test
  void frameOfALibraryThatTheProgramCallsIsSkipped() {
    assertThat(
            UserFrame.of(
                stack(
                    "org.json.Reader.read(Reader.java:5)",
                    "com.example.deep.Helper.read(Helper.java:8)",
                    "com.example.Parser.map(Parser.java:12)",
                    "io.millrace.dataplane.Task.step(Task.java:1)")))
        .contains("com.example.deep.Helper.read(Helper.java:8)");
  }

  @Test
  void withoutCodeOfTheProgramTheInnermostFrameIsShown() {
    assertThat(
            UserFrame.of(
                stack(
                    "java.util.HashMap.get(HashMap.java:1)",
                    "io.millrace.dataplane.Task.step(Task.java:1)")))
        .contains("java.util.HashMap.get(HashMap.java:1)");
    assertThat(UserFrame.of(new StackTraceElement[0])).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.util.List",
        "javax.net.Socket",
        "jdk.internal.Misc",
        "sun.nio.Channel",
        "com.sun.Proxy",
        "io.millrace.api.DataStream",
        "io.millrace.cli.run.RunCommand",
        "io.millrace.client.PackagedProgram",
        "io.millrace.cluster.EmbeddedCluster",
        "io.millrace.control.JobManager",
        "io.millrace.protocol.Messages",
        "io.millrace.rpc.Mailbox",
        "io.millrace.worker.Slots",
        "io.millrace.core.Bytes",
        "io.millrace.dataplane.Task",
        "io.millrace.graph.KeyGroups",
        "io.millrace.task.TaskSpec",
        "io.netty.Channel",
        "org.apache.fory.Fory",
        "org.jctools.Queue",
        "org.slf4j.Logger"
      })
  void packagesOfEngineAndLibrariesAreNotTheUsers(String className) {
    Throwable thrown = new IllegalStateException("x");
    thrown.setStackTrace(new StackTraceElement[] {new StackTraceElement(className, "m", "F", 1)});

    assertThat(UserFrame.of(thrown)).isEmpty();
  }

  /** Examples of the engine are programs of users. */
  @Test
  void otherPackagesOfMillraceAreTheUsers() {
    Throwable thrown = new IllegalStateException("x");
    thrown.setStackTrace(
        stack(
            "io.millrace.core.Bytes.slice(Bytes.java:3)",
            "io.millrace.examples.Words.split(Words.java:9)",
            "io.millrace.dataplane.Task.step(Task.java:1)"));

    assertThat(UserFrame.of(thrown)).contains("io.millrace.examples.Words.split(Words.java:9)");
  }

  @Test
  void innermostCauseWithCodeOfTheProgramDecides() {
    Throwable inner = new IllegalStateException("inner");
    inner.setStackTrace(stack("java.io.File.open(File.java:3)"));
    Throwable middle = new IllegalStateException("middle", inner);
    middle.setStackTrace(stack("com.example.Reader.open(Reader.java:7)"));
    Throwable outer = new IllegalStateException("outer", middle);
    outer.setStackTrace(stack("com.example.Main.map(Main.java:2)"));

    assertThat(UserFrame.of(outer)).contains("com.example.Reader.open(Reader.java:7)");
  }

  @Test
  void framesWithoutFileOrLineAreReadable() {
    assertThat(UserFrame.of(new StackTraceElement[] {frame("A", null, -1)}))
        .contains("A.m(Unknown Source)");
    assertThat(UserFrame.of(new StackTraceElement[] {frame("A", "A.java", -1)}))
        .contains("A.m(A.java)");
    assertThat(UserFrame.of(new StackTraceElement[] {frame("A", "A.java", -2)}))
        .contains("A.m(A.java)");
  }

  @Test
  void loaderAndModuleAreLeftOut() {
    StackTraceElement frame =
        new StackTraceElement("job-7", "mine", "1", "com.example.Main", "map", "Main.java", 4);

    assertThat(UserFrame.of(new StackTraceElement[] {frame}))
        .contains("com.example.Main.map(Main.java:4)");
  }

  /** Classes in the default package and in a package of one part have no second part to compare. */
  @Test
  void shortPackagesAreTheirOwn() {
    assertThat(
            UserFrame.of(
                stack(
                    "lib.Helper.help(Helper.java:1)",
                    "Main.map(Main.java:2)",
                    "io.millrace.dataplane.Task.step(Task.java:1)")))
        .contains("Main.map(Main.java:2)");
    assertThat(UserFrame.of(stack("one.Main.map(Main.java:2)")))
        .contains("one.Main.map(Main.java:2)");
  }

  @Test
  void failureFindsTheFrameInItsText() {
    Throwable thrown = new IllegalStateException("x");
    thrown.setStackTrace(
        stack("com.example.Main.map(Main.java:2)", "io.millrace.dataplane.Task.step(Task.java:1)"));

    Failure failure = Failure.of(thrown, ErrorKind.USER);

    assertThat(failure.userFrame()).contains("com.example.Main.map(Main.java:2)");
    assertThat(failure.withoutStack().userFrame()).isEmpty();
  }

  private static StackTraceElement frame(String className, String file, int line) {
    return new StackTraceElement(className, "m", file, line);
  }

  /** Frames such as {@code com.example.Main.map(Main.java:2)}. */
  private static StackTraceElement[] stack(String... frames) {
    return List.of(frames).stream()
        .map(
            text -> {
              int open = text.indexOf('(');
              int dot = text.lastIndexOf('.', open);
              int colon = text.lastIndexOf(':');
              return new StackTraceElement(
                  text.substring(0, dot),
                  text.substring(dot + 1, open),
                  text.substring(open + 1, colon),
                  Integer.parseInt(text.substring(colon + 1, text.length() - 1)));
            })
        .toArray(StackTraceElement[]::new);
  }
}
