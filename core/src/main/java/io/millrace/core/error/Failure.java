package io.millrace.core.error;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.Optional;
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

  /** Exceptions in a chain of causes that are looked at; causes may form a circle. */
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

  /** Describes an exception; one without a kind of its own is taken to be of {@code fallback}. */
  public static Failure of(Throwable thrown, ErrorKind fallback) {
    Failure brief = briefly(thrown, fallback);
    Throwable cause = unwrap(thrown);
    if (cause instanceof FailureException carried) {
      return carried.failure();
    }
    return new Failure(brief.kind(), brief.type(), brief.message(), stackOf(cause));
  }

  /** Exceptions of user code may have methods that fail; the failure itself must be told still. */
  private static String stackOf(Throwable cause) {
    StringWriter stack = new StringWriter();
    try {
      cause.printStackTrace(new PrintWriter(stack));
      return stack.toString();
    } catch (RuntimeException | Error unreadable) {
      return framesOf(cause);
    }
  }

  /** The classes of the exceptions and their frames, without anything they say. */
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
    for (int i = 0; i < MAX_WRAPPERS; i++) {
      if (!(cause instanceof CompletionException || cause instanceof ExecutionException)
          || cause.getCause() == null) {
        return cause;
      }
      cause = cause.getCause();
    }
    return cause;
  }

  /** The same without the stack trace, where it was logged or would differ from run to run. */
  public Failure withoutStack() {
    return stack.isEmpty() ? this : new Failure(kind, type, message, "");
  }

  /** The exception that the stack trace tells of, empty if there is none. */
  public Optional<RemoteException> cause() {
    return RemoteException.parse(stack);
  }

  /** The line of the user's program in which it happened, if it happened in one. */
  public Optional<String> userFrame() {
    return cause().flatMap(UserFrame::of);
  }

  /** This failure as an exception, to be thrown or to complete a future with. */
  public FailureException toException() {
    return new FailureException(this);
  }

  /** What an exception says, never empty: its message, or its class where it has none. */
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
