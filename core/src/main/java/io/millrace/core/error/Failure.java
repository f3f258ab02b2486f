package io.millrace.core.error;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * An error as a value: what crosses process boundaries and is kept in a job's history.
 *
 * @param type the class name of the root exception
 * @param message one readable sentence
 * @param stack the stack trace as text, bounded; empty where it would not help
 */
public record Failure(ErrorKind kind, String type, String message, String stack) {
  private static final int MAX_STACK = 16 * 1024;
  private static final int MAX_MESSAGE = 4 * 1024;

  public Failure {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(type);
    message = bounded(message, MAX_MESSAGE);
    stack = bounded(stack, MAX_STACK);
  }

  public static Failure of(ErrorKind kind, String message) {
    return new Failure(kind, MillraceException.class.getName(), message, "");
  }

  /** Describes an exception; one without a kind of its own is taken to be of {@code fallback}. */
  public static Failure of(Throwable thrown, ErrorKind fallback) {
    Failure brief = briefly(thrown, fallback);
    Throwable cause = unwrap(thrown);
    if (cause instanceof FailureException carried) {
      return carried.failure();
    }
    StringWriter stack = new StringWriter();
    cause.printStackTrace(new PrintWriter(stack));
    return new Failure(brief.kind(), brief.type(), brief.message(), stack.toString());
  }

  /** The same without the stack trace, which takes long to write down. */
  public static Failure briefly(Throwable thrown, ErrorKind fallback) {
    Throwable cause = unwrap(thrown);
    if (cause instanceof FailureException carried) {
      return carried.failure().withoutStack();
    }
    ErrorKind kind = cause instanceof MillraceException known ? known.kind() : fallback;
    return new Failure(kind, cause.getClass().getName(), sentence(cause), "");
  }

  /** The exception inside the wrappers that futures put around it. */
  public static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The same without the stack trace, where it was logged or would differ from run to run. */
  public Failure withoutStack() {
    return stack.isEmpty() ? this : new Failure(kind, type, message, "");
  }

  /** This failure as an exception, to be thrown or to complete a future with. */
  public FailureException toException() {
    return new FailureException(this);
  }

  /** What an exception says, never empty: its message, or its class where it has none. */
  public static String sentence(Throwable thrown) {
    if (thrown instanceof MillraceException && thrown.getMessage() != null) {
      return thrown.getMessage();
    }
    String name = thrown.getClass().getSimpleName();
    return thrown.getMessage() == null ? name : name + ": " + thrown.getMessage();
  }

  private static String bounded(String text, int limit) {
    return text.length() <= limit ? text : text.substring(0, limit) + "…";
  }
}
