package io.millrace.core.error;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * An error as a value: it crosses process boundaries and is kept in the history of a job.
 *
 * @param type the class name of the root exception
 * @param message one readable sentence
 * @param stack the stack trace as text, bounded; empty if it would not help
 */
public record Failure(ErrorKind kind, String type, String message, String stack) {
  private static final int MAX_STACK = 16 * 1024;
  private static final int MAX_MESSAGE = 4 * 1024;

  /** Maximum length of a chain of causes; causes may be cyclic. */
  static final int MAX_WRAPPERS = 100;

  public Failure {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(type);
    message = bounded(message, MAX_MESSAGE);
    stack = bounded(stack, MAX_STACK);
  }

  public static Failure of(ErrorKind kind, String message) {
    return new Failure(kind, MillraceException.class.getName(), message, "");
  }

  /** The same failure, whose message also has that of another one. */
  public Failure and(Failure other) {
    return new Failure(kind, type, message + " " + other.message, stack);
  }

  /** Describes an exception. One without a kind gets the {@code fallback}. */
  public static Failure of(Throwable thrown, ErrorKind fallback) {
    Failure brief = briefly(thrown, fallback);
    Throwable cause = unwrap(thrown);
    if (cause instanceof FailureException carried) {
      return carried.failure();
    }
    return new Failure(brief.kind(), brief.type(), brief.message(), stackOf(cause));
  }

  /** Methods of user exceptions may fail; the failure must be reported nevertheless. */
  private static String stackOf(Throwable cause) {
    StringWriter stack = new StringWriter();
    try {
      cause.printStackTrace(new PrintWriter(stack));
      return stack.toString();
    } catch (RuntimeException | Error unreadable) {
      return framesOf(cause);
    }
  }

  /** The classes and frames of the exceptions, without their messages. */
  private static String framesOf(Throwable thrown) {
    StringBuilder text = new StringBuilder();
    Throwable next = thrown;
    for (int i = 0; next != null && i < MAX_WRAPPERS; i++) {
      text.append(i == 0 ? "" : "Caused by: ").append(next.getClass().getName()).append('\n');
      for (StackTraceElement frame : next.getStackTrace()) {
        text.append("\tat ").append(frame).append('\n');
      }
      next = next.getCause();
    }
    return text.toString();
  }

  private static String messageOf(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (RuntimeException | Error unreadable) {
      return "its message cannot be read, " + unreadable.getClass().getName();
    }
  }

  /** Like {@link #of(Throwable, ErrorKind)} without the stack trace, which is slow to print. */
  public static Failure briefly(Throwable thrown, ErrorKind fallback) {
    Throwable cause = unwrap(thrown);
    if (cause instanceof FailureException carried) {
      return carried.failure().withoutStack();
    }
    ErrorKind kind = cause instanceof MillraceException known ? known.kind() : fallback;
    return new Failure(kind, cause.getClass().getName(), sentence(cause), "");
  }

  /** The exception inside the wrappers of futures. */
  public static Throwable unwrap(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; i < MAX_WRAPPERS; i++) {
      if (!(cause instanceof CompletionException || cause instanceof ExecutionException)
          || cause.getCause() == null) {
        return cause;
      }
      cause = cause.getCause();
    }
    return cause;
  }

  /** Without the stack trace, if it was logged or would differ from run to run. */
  public Failure withoutStack() {
    return stack.isEmpty() ? this : new Failure(kind, type, message, "");
  }

  /** The exception of the stack trace; empty if there is none. */
  public Optional<RemoteException> cause() {
    return RemoteException.parse(stack);
  }

  /** The innermost frame of the user's program in the stack trace; empty if there is none. */
  public Optional<String> userFrame() {
    return cause().flatMap(UserFrame::of);
  }

  /** This failure as an exception. */
  public FailureException toException() {
    return new FailureException(this);
  }

  /** The message of an exception, or its class if it has none. Never empty. */
  public static String sentence(Throwable thrown) {
    String message = messageOf(thrown);
    if (thrown instanceof MillraceException && message != null) {
      return message;
    }
    String name = thrown.getClass().getSimpleName();
    return message == null ? name : name + ": " + message;
  }

  private static String bounded(String text, int limit) {
    return text.length() <= limit ? text : text.substring(0, limit) + "…";
  }
}
