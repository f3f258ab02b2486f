package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepStackTest {
  private static final ClassLoader LOADER = StepStackTest.class.getClassLoader();

  private final CoreScheduler cores = new CoreScheduler(1, 256);

  @AfterEach
  void close() {
    cores.close();
  }

  private static StepStack next(Tasklet task) {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (System.nanoTime() < deadline) {
      Optional<StepStack> stack = task.stepStack().filter(found -> !found.frames().isEmpty());
      if (stack.isPresent()) {
        return stack.get();
      }
    }
    throw new AssertionError("No step of " + task + " runs");
  }

  @Test
  void blockedStepIsOffCpuAndWaitingTaskHasNoStack() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    TestTasklet task =
        new TestTasklet(cores, LOADER) {
          @Override
          protected StepResult step() throws InterruptedException {
            entered.countDown();
            release.await();
            return StepResult.ENDED;
          }
        };
    assertThat(task.stepStack()).isEmpty();
    task.wake();
    entered.await();
    StepStack stack = next(task);
    while (stack.onCpu()) {
      // The step has not reached its wait.
      stack = next(task);
    }
    assertThat(stack.frames())
        .element(stack.frames().size() - 1)
        .asString()
        .startsWith("jdk.internal.misc.Unsafe.park:");
    release.countDown();
    task.endCalled.await();
  }
}
