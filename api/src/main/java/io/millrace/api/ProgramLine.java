package io.millrace.api;

import java.security.CodeSource;
import java.util.Optional;

/** Finds the line of the program that calls the API, for errors that are found later. */
final class ProgramLine {
  private static final String PACKAGE = ProgramLine.class.getPackageName();
  private static final Optional<CodeSource> ENGINE = source(ProgramLine.class);
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

  private ProgramLine() {}

  /** The innermost line outside of the API, such as {@code Orders.java:42}. */
  static Optional<String> current() {
    return STACK.walk(
        frames ->
            frames
                .filter(frame -> !isEngine(frame.getDeclaringClass()))
                .findFirst()
                .filter(frame -> frame.getFileName() != null && frame.getLineNumber() > 0)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber()));
  }

  /** Tests of the API are in its packages, but in another place. */
  private static boolean isEngine(Class<?> caller) {
    boolean isNamedSo =
        caller.getPackageName().equals(PACKAGE)
            || caller.getPackageName().startsWith(PACKAGE + ".");
    return isNamedSo && source(caller).equals(ENGINE);
  }

  private static Optional<CodeSource> source(Class<?> type) {
    return Optional.ofNullable(type.getProtectionDomain().getCodeSource());
  }
}
