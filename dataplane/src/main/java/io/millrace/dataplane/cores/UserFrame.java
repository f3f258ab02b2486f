package io.millrace.dataplane.cores;

import java.util.List;
import java.util.Optional;

/** Finds the line of the user's program in a stack. */
final class UserFrame {
  /** Whose code is called by the user's or calls it. */
  private static final List<String> OTHERS =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "io.millrace.api.",
          "io.millrace.core.",
          "io.millrace.dataplane.",
          "io.millrace.graph.",
          "io.netty.",
          "org.apache.fory.",
          "org.jctools.",
          "org.slf4j.");

  private UserFrame() {}

  /** Such as {@code com.example.Slow.map(Slow.java:12)}: the innermost call of the user's. */
  static Optional<String> of(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (OTHERS.stream().noneMatch(frame.getClassName()::startsWith)) {
        return Optional.of(text(frame));
      }
    }
    return stack.length == 0 ? Optional.empty() : Optional.of(text(stack[0]));
  }

  /** Without class loader and module, which say nothing here. */
  private static String text(StackTraceElement frame) {
    String place =
        frame.getFileName() == null
            ? "Unknown Source"
            : frame.getLineNumber() < 0
                ? frame.getFileName()
                : frame.getFileName() + ":" + frame.getLineNumber();
    return frame.getClassName() + "." + frame.getMethodName() + "(" + place + ")";
  }
}
