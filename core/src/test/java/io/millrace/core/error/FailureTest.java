package io.millrace.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class FailureTest {
  @Test
  void exceptionKeepsItsKindAndMessage() {
    Failure failure =
        Failure.of(new MillraceException(ErrorKind.RESOURCE, "No slot is left."), ErrorKind.BUG);
    assertThat(failure.kind()).isEqualTo(ErrorKind.RESOURCE);
    assertThat(failure.message()).isEqualTo("No slot is left.");
    assertThat(failure.type()).isEqualTo(MillraceException.class.getName());
    assertThat(failure.stack()).contains("FailureTest");
  }

  @Test
  void exceptionWithoutKindTakesTheFallbackAndItsClassName() {
    Failure failure = Failure.of(new IllegalStateException("broken"), ErrorKind.USER);
    assertThat(failure.kind()).isEqualTo(ErrorKind.USER);
    assertThat(failure.message()).isEqualTo("IllegalStateException: broken");
    assertThat(Failure.sentence(new IllegalStateException())).isEqualTo("IllegalStateException");
  }

  @Test
  void wrappersOfFuturesAreRemoved() {
    MillraceException root = new MillraceException(ErrorKind.EXTERNAL, "Storage is away.");
    Throwable wrapped = new CompletionException(new ExecutionException(root));
    assertThat(Failure.unwrap(wrapped)).isSameAs(root);
    assertThat(Failure.of(wrapped, ErrorKind.BUG).kind()).isEqualTo(ErrorKind.EXTERNAL);
    Throwable empty = new CompletionException("nothing inside", null);
    assertThat(Failure.unwrap(empty)).isSameAs(empty);
  }

  @Test
  void failureSurvivesBeingThrown() {
    Failure failure = Failure.of(ErrorKind.USER, "No such jar.");
    FailureException thrown = failure.toException();
    assertThat(thrown.kind()).isEqualTo(ErrorKind.USER);
    assertThat(thrown).hasMessage("No such jar.");
    assertThat(Failure.of(new CompletionException(thrown), ErrorKind.BUG)).isSameAs(failure);
  }

  @Test
  void longTextsAreTruncated() {
    Failure failure =
        new Failure(ErrorKind.BUG, "type", "m".repeat(100_000), "s".repeat(1_000_000));
    assertThat(failure.message()).hasSizeLessThan(5_000).endsWith("…");
    assertThat(failure.stack()).hasSizeLessThan(17_000).endsWith("…");
  }

  /** An exception whose methods throw. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  void exceptionWhoseMethodsThrowIsDescribed() {
    Failure failure = Failure.of(new Unreadable(), ErrorKind.USER);
    assertThat(failure.type()).isEqualTo(Unreadable.class.getName());
    assertThat(failure.message()).startsWith("Unreadable: its message cannot be read");
    assertThat(failure.stack()).startsWith(Unreadable.class.getName()).contains("FailureTest");
  }

  /** An exception whose cause is set later. */
  private static final class Wrapper extends CompletionException {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void cyclicCausesTerminate() {
    CompletionException outer = new Wrapper();
    outer.initCause(new CompletionException("inner", outer));
    assertThat(Failure.unwrap(outer)).isInstanceOf(CompletionException.class);
  }
}
