package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepStackTest {
  private static final int STACKS = 100;
  private static final ClassLoader LOADER = StepStackTest.class.getClassLoader();

  private final CoreScheduler cores = new CoreScheduler(1, 256);
  private int sink;

  @AfterEach
  void close() {
    cores.close();
  }

  private void work() {
    for (int i = 0; i < 1000; i++) {
      sink += i;
    }
  }

  private final class First extends TestTasklet {
    First() {
      super(cores, LOADER);
    }

    @Override
    protected StepResult step() {
      work();
      return StepResult.MORE;
    }
  }

  private final class Second extends TestTasklet {
    Second() {
      super(cores, LOADER);
    }

    @Override
    protected StepResult step() {
      work();
      return StepResult.MORE;
    }
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

  /** Both take turns on one thread, and their steps are much shorter than reading a stack. */
  @Test
  @Behaviour("I1: the sampled stack of a task is never that of another task on the same thread")
  void stackIsThatOfTheOwnTask() {
    Tasklet first = new First();
    Tasklet second = new Second();
    first.wake();
    second.wake();
    for (int i = 0; i < STACKS; i++) {
      assertThat(next(first).frames().get(0)).startsWith(First.class.getName() + ".step:");
      assertThat(next(second).frames().get(0)).startsWith(Second.class.getName() + ".step:");
    }
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
