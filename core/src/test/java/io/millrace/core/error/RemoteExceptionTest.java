package io.millrace.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A printed stack trace is parsed into an equal exception. */
class RemoteExceptionTest {
  private static String printed(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  private static IllegalStateException nested() {
    try {
      Integer.parseInt("three");
      throw new AssertionError("a number");
    } catch (NumberFormatException e) {
      IllegalStateException outer = new IllegalStateException("cannot go on\nat all", e);
      outer.addSuppressed(new IllegalArgumentException("beside the point", new Error("inside")));
      return outer;
    }
  }

  @Test
  void thrownFailureHasTheOriginalAsItsCause() {
    FailureException thrown = Failure.of(nested(), ErrorKind.USER).toException();
    Throwable cause = thrown.getCause();
    assertThat(cause).hasToString("java.lang.IllegalStateException: cannot go on\nat all");
    assertThat(cause.getStackTrace()[0].getClassName()).isEqualTo(getClass().getName());
    assertThat(cause.getStackTrace()[0].getMethodName()).isEqualTo("nested");
    assertThat(cause.getStackTrace()[0].getLineNumber()).isPositive();
    assertThat(cause.getCause())
        .hasToString("java.lang.NumberFormatException: For input string: \"three\"");
    assertThat(cause.getCause().getStackTrace())
        .anyMatch(frame -> frame.toString().equals(inParseInt(cause.getCause())));
    assertThat(cause.getCause().getCause()).isNull();
    assertThat(printed(thrown)).contains("Caused by: java.lang.IllegalStateException: cannot go");
  }

  private static String inParseInt(Throwable cause) {
    for (StackTraceElement frame : cause.getStackTrace()) {
      if (frame.getMethodName().equals("parseInt") && frame.getFileName().equals("Integer.java")) {
        return frame.toString();
      }
    }
    return "none";
  }

  @Test
  void framesOfAllFormsAreParsed() {
    String text =
        """
        com.example.Odd: x
        \tat com.example.Odd.lambda$main$0(Odd.java:12)
        \tat app//com.example.Odd.<init>(Odd.java)
        \tat java.base@17.0.1/java.lang.Thread.run(Unknown Source)
        \tat java.base/jdk.internal.Native.invoke0(Native Method)
        \t... 3 more
        """;
    StackTraceElement[] frames = RemoteException.parse(text).orElseThrow().getStackTrace();
    assertThat(frames)
        .extracting(StackTraceElement::toString)
        .containsExactly(
            "com.example.Odd.lambda$main$0(Odd.java:12)",
            "com.example.Odd.<init>(Odd.java)",
            "java.lang.Thread.run(Unknown Source)",
            "jdk.internal.Native.invoke0(Native Method)");
  }

  @Test
  void withoutFramesThereIsNoCause() {
    assertThat(RemoteException.parse("")).isEmpty();
    assertThat(RemoteException.parse("Killed by YARN: too much memory")).isEmpty();
    assertThat(Failure.of(ErrorKind.USER, "No such jar.").toException()).hasNoCause();
  }

  private static Optional<String> frameOf(String text) {
    return new Failure(ErrorKind.USER, "x", "x", text).userFrame();
  }

  @Test
  void userFrameSkipsFramesOfLibraries() {
    assertThat(
            frameOf(
                """
                java.lang.RuntimeException: wrapped
                \tat com.example.words.Parse.map(Parse.java:7)
                \tat io.millrace.dataplane.Stages$Map.push(Stages.java:50)
                Caused by: org.library.ParseException: at 3
                \tat org.library.Parser.fail(Parser.java:99)
                \tat org.library.Parser.next(Parser.java:9)
                \tat com.example.text.Lines.split(Lines.java:33)
                \tat com.example.words.Parse.map(Parse.java:5)
                \t... 7 more
                """))
        .contains("com.example.text.Lines.split(Lines.java:33)");
    assertThat(
            frameOf(
                """
                java.lang.NumberFormatException: For input string: "three"
                \tat java.base/java.lang.Integer.parseInt(Integer.java:652)
                \tat io.millrace.dataplane.Stages$Map.push(Stages.java:50)
                """))
        .isEmpty();
    assertThat(frameOf("x\n\tat NoPackage.map(NoPackage.java:3)\n"))
        .contains("NoPackage.map(NoPackage.java:3)");
  }
}
