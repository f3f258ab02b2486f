package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.UncaughtException;
import io.millrace.core.testing.Behaviour;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FatalExitExceptionHandlerTest {
  private final AtomicInteger halts = new AtomicInteger();

  @Test
  @Behaviour("B2: an uncaught error ends the process according to the policy")
  void uncaughtExceptionIsLoggedByDefault() {
    uncaught(UncaughtException.LOG, new IllegalStateException("a thread's own affair"));
    uncaught(UncaughtException.LOG, new StackOverflowError());
    assertThat(halts).hasValue(0);
  }

  @Test
  @Behaviour("B2: an uncaught error ends the process according to the policy")
  void uncaughtExceptionEndsProcessIfConfigured() {
    uncaught(UncaughtException.FAIL, new IllegalStateException("configured to be fatal"));
    assertThat(halts).hasValue(1);
  }

  @Test
  @Behaviour("B2: an uncaught error ends the process according to the policy")
  void outOfMemoryErrorEndsProcess() {
    uncaught(UncaughtException.LOG, new OutOfMemoryError("for a test"));
    assertThat(halts).hasValue(1);
  }

  @Test
  @Behaviour("D3: a TaskManager unknown to the driver is rejected for good, and its process ends")
  @Behaviour("B2: an uncaught error ends the process according to the policy")
  void fatalErrorEndsProcess() {
    exit(UncaughtException.LOG).end(new IllegalStateException("reported as fatal"));
    assertThat(halts).hasValue(1);
  }

  private void uncaught(UncaughtException policy, Throwable thrown) {
    exit(policy).uncaughtException(Thread.currentThread(), thrown);
  }

  private FatalExitExceptionHandler exit(UncaughtException policy) {
    return new FatalExitExceptionHandler("Test", policy, halts::incrementAndGet);
  }
}
