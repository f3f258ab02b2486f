package io.millrace.core.error;

import java.util.List;
import java.util.Optional;

/** Finds the frame of the user's program in a stack trace. */
public final class UserFrame {
  /** Packages of the engine and of libraries, which are not the user's code. */
  private static final List<String> OTHERS =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "io.millrace.api.",
          "io.millrace.cli.",
          "io.millrace.client.",
          "io.millrace.cluster.",
          "io.millrace.control.",
          "io.millrace.core.",
          "io.millrace.dataplane.",
          "io.millrace.graph.",
          "io.millrace.protocol.",
          "io.millrace.rpc.",
          "io.millrace.task.",
          "io.millrace.worker.",
          "io.netty.",
          "org.apache.fory.",
          "org.jctools.",
          "org.slf4j.");

  private UserFrame() {}

  /**
   * The innermost frame, such as {@code com.example.Slow.map(Slow.java:12)}, in the packages of the
   * function that the engine called, so that libraries of the function do not count. The innermost
   * frame of all if there is no user code; empty for an empty stack.
   */
  public static Optional<String> of(StackTraceElement[] stack) {
    Optional<String> found = find(stack);
    return found.isPresent() || stack.length == 0 ? found : Optional.of(text(stack[0]));
  }

  /** The innermost cause with a user frame decides; empty if there is none. */
  public static Optional<String> of(Throwable thrown) {
    Optional<String> innermost = Optional.empty();
    Throwable next = thrown;
    for (int depth = 0; next != null && depth < Failure.MAX_WRAPPERS; depth++) {
      Optional<String> found = find(next.getStackTrace());
      innermost = found.isPresent() ? found : innermost;
      next = next.getCause();
    }
    return innermost;
  }

  private static Optional<String> find(StackTraceElement[] stack) {
    int last = stack.length - 1;
    while (last >= 0 && !isUsers(stack[last])) {
      last--;
    }
    if (last < 0) {
      return Optional.empty();
    }
    String packages = packagesOf(stack[last].getClassName());
    for (StackTraceElement frame : stack) {
      if (isUsers(frame) && packagesOf(frame.getClassName()).equals(packages)) {
        return Optional.of(text(frame));
      }
    }
    throw new IllegalStateException("No frame in the packages of the function");
  }

  private static boolean isUsers(StackTraceElement frame) {
    return OTHERS.stream().noneMatch(frame.getClassName()::startsWith);
  }

  /** The first two parts of a package name, which most classes of a program share. */
  private static String packagesOf(String className) {
    int end = className.lastIndexOf('.');
    int first = className.indexOf('.');
    int second = first < 0 ? -1 : className.indexOf('.', first + 1);
    return className.substring(0, second < 0 ? Math.max(0, end) : second);
  }

  /** Without class loader and module. */
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
