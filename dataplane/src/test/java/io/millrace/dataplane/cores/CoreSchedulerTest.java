package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Slow;
import io.millrace.core.testing.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoreSchedulerTest {
  private final CoreScheduler cores = new CoreScheduler(2, 256);

  @AfterEach
  void close() {
    cores.close();
  }

  private TestTasklet task(java.util.function.Supplier<Tasklet.StepResult> step) {
    return new TestTasklet(cores, CoreSchedulerTest.class.getClassLoader()) {
      @Override
      protected StepResult step() {
        return step.get();
      }
    };
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void noWakeIsLostAndNoStepRunsTwiceAtOnce() throws InterruptedException {
    int wakers = 4;
    int wakes = 20_000;
    AtomicInteger pending = new AtomicInteger();
    AtomicInteger handled = new AtomicInteger();
    AtomicBoolean inside = new AtomicBoolean();
    AtomicBoolean overlapped = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    Tasklet task =
        task(
            () -> {
              if (!inside.compareAndSet(false, true)) {
                overlapped.set(true);
              }
              int got = handled.addAndGet(pending.getAndSet(0));
              inside.set(false);
              if (got == wakers * wakes) {
                done.countDown();
              }
              return Tasklet.StepResult.IDLE;
            });
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < wakers; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < wakes; n++) {
                  pending.incrementAndGet();
                  task.wake();
                }
              });
      thread.start();
      threads.add(thread);
    }
    await(done);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(overlapped).isFalse();
  }

  @Test
  @Behaviour(
      "F5: the watchdog takes the core from a step that sleeps, waits for I/O or computes too"
          + " long, not from one that waits for a processor")
  void blockedStepsLeaveTheCoresToOthers() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(8);
    for (int i = 0; i < 8; i++) {
      task(() -> {
            try {
              gate.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            ended.countDown();
            return Tasklet.StepResult.ENDED;
          })
          .wake();
    }
    CountDownLatch passed = new CountDownLatch(100);
    Tasklet quick =
        task(
            () -> {
              passed.countDown();
              return Tasklet.StepResult.MORE;
            });
    quick.wake();
    await(passed);
    gate.countDown();
    await(ended);
  }

  @Test
  @Behaviour(
      "F5: a task on its own thread shows since when, why and at which line of the program, and"
          + " returns to the cores")
  void aTaskThatBehavesAgainReturnsToACore() throws InterruptedException {
    CountDownLatch back = new CountDownLatch(1);
    AtomicInteger steps = new AtomicInteger();
    AtomicBoolean left = new AtomicBoolean();
    Tasklet slow =
        new TestTasklet(cores, CoreSchedulerTest.class.getClassLoader()) {
          @Override
          protected StepResult step() {
            if (steps.getAndIncrement() == 0) {
              block("waited", left::get);
              return StepResult.MORE;
            }
            if (!detached) {
              back.countDown();
              return StepResult.ENDED;
            }
            return StepResult.MORE;
          }
        };
    slow.wake();
    while (steps.get() == 0) {
      Thread.onSpinWait();
    }
    left.set(true);
    slow.wake();
    await(back);
    assertThat(steps.get()).isGreaterThan(5);
  }

  @Test
  void manyBlockedStepsAllGoOn() throws InterruptedException {
    int count = 300;
    AtomicBoolean open = new AtomicBoolean();
    CountDownLatch blocked = new CountDownLatch(count);
    CountDownLatch ended = new CountDownLatch(count);
    List<Tasklet> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Tasklet task =
          new TestTasklet(cores, CoreSchedulerTest.class.getClassLoader()) {
            @Override
            protected StepResult step() {
              blocked.countDown();
              block("waited", open::get);
              ended.countDown();
              return StepResult.ENDED;
            }
          };
      tasks.add(task);
      task.wake();
    }
    await(blocked);
    open.set(true);
    tasks.forEach(Tasklet::wake);
    await(ended);
  }

  private static List<Throwable> throwables() {
    return List.of(
        new IllegalStateException("thrown by a test"),
        new InterruptedException("thrown by a test"),
        new AssertionError("thrown by a test"),
        new StackOverflowError("thrown by a test"),
        new OutOfMemoryError("thrown by a test"),
        new NoClassDefFoundError("thrown by a test"));
  }

  /** Throws anything where nothing is declared. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> RuntimeException sneak(Throwable thrown) throws E {
    throw (E) thrown;
  }

  @Test
  void whateverAStepThrowsFailsTheTaskAndEndsIt() throws InterruptedException {
    for (Throwable thrown : throwables()) {
      for (int before = 0; before < 3; before++) {
        AtomicInteger left = new AtomicInteger(before);
        TestTasklet task =
            task(
                () -> {
                  if (left.getAndDecrement() > 0) {
                    return Tasklet.StepResult.MORE;
                  }
                  throw CoreSchedulerTest.<RuntimeException>sneak(thrown);
                });
        task.wake();
        await(task.endCalled);
        assertThat(task.failCauses).containsExactly(thrown);
        until(task::hasEnded);
      }
    }
  }

  @Test
  void theFailureAndTheEndOfATaskAreToldUntilTheyAreHeard() throws InterruptedException {
    for (Throwable thrown : throwables()) {
      AtomicInteger unheardFailures = new AtomicInteger(2);
      AtomicInteger unheardEnds = new AtomicInteger(2);
      AtomicInteger steps = new AtomicInteger();
      TestTasklet task =
          new TestTasklet(cores, CoreSchedulerTest.class.getClassLoader()) {
            @Override
            protected StepResult step() {
              steps.incrementAndGet();
              throw new IllegalArgumentException("the reason");
            }

            @Override
            protected void fail(Throwable cause) {
              if (unheardFailures.getAndDecrement() > 0) {
                throw CoreSchedulerTest.<RuntimeException>sneak(thrown);
              }
              super.fail(cause);
            }

            @Override
            protected void end() {
              if (unheardEnds.getAndDecrement() > 0) {
                throw CoreSchedulerTest.<RuntimeException>sneak(thrown);
              }
              super.end();
            }
          };
      task.wake();
      await(task.endCalled);
      until(task::hasEnded);
      assertThat(steps).hasValue(1);
      assertThat(task.failCauses).hasSize(1);
      assertThat(task.failCauses.get(0)).hasMessage("the reason");
    }
  }

  @Test
  void whateverATimerOfATaskThrowsFailsTheTask() throws InterruptedException {
    for (Throwable thrown : throwables()) {
      TestTasklet task = task(() -> Tasklet.StepResult.IDLE);
      task.after(
          Duration.ofMillis(1),
          () -> {
            throw CoreSchedulerTest.<RuntimeException>sneak(thrown);
          });
      until(() -> !task.failCauses.isEmpty());
      assertThat(task.failCauses).containsExactly(thrown);
    }
  }

  @Test
  void aStepThatThrowsDoesNotTakeItsThreadAlong() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      task(() -> {
            throw new IllegalStateException("thrown by a test");
          })
          .wake();
    }
    CountDownLatch passed = new CountDownLatch(1);
    task(() -> {
          passed.countDown();
          return Tasklet.StepResult.ENDED;
        })
        .wake();
    await(passed);
  }

  @Test
  @Behaviour(
      "F5: a task on its own thread shows since when, why and at which line of the program, and"
          + " returns to the cores")
  void theTaskThatLosesItsCoreSaysWhereItHeldIt() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    List<Tasklet> slow = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      slow.add(
          task(
              () -> {
                wait(gate);
                return Tasklet.StepResult.ENDED;
              }));
      slow.get(i).wake();
    }
    Tasklet quick = task(() -> Tasklet.StepResult.MORE);
    quick.wake();
    until(() -> slow.stream().anyMatch(task -> isOn(ThreadPlacement.Kind.OWN, task)));

    Tasklet first =
        slow.stream().filter(task -> isOn(ThreadPlacement.Kind.OWN, task)).findFirst().get();
    assertThat(first.placement().reason(Optional.empty()))
        .matches("held its core for \\d+ ms in com\\.example\\.Slow\\.await\\(Slow\\.java:\\d+\\)");
    assertThat(first.placement().since()).isPositive();
    assertThat(cores.ownThreads()).isPositive();
    assertThat(quick.placement().kind()).isEqualTo(ThreadPlacement.Kind.CORE);
    gate.countDown();
    until(() -> slow.stream().allMatch(Tasklet::hasEnded));
    until(() -> cores.ownThreads() == 0);
  }

  @Test
  @Behaviour(
      "F5: the watchdog takes the core from a step that sleeps, waits for I/O or computes too"
          + " long, not from one that waits for a processor")
  void aStepThatComputesOnAndOnLosesItsCore() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      task(() -> {
            assertThat(Slow.compute(gate)).isNotNegative();
            return Tasklet.StepResult.ENDED;
          })
          .wake();
    }
    CountDownLatch passed = new CountDownLatch(100);
    task(() -> {
          passed.countDown();
          return Tasklet.StepResult.MORE;
        })
        .wake();
    await(passed);
    gate.countDown();
  }

  @Test
  @Behaviour("F5: own threads are capped, and a task that needs one beyond the cap says so")
  void ownThreadsAreCappedAndWhoWouldNeedOneSaysSo() throws InterruptedException {
    try (CoreScheduler few = new CoreScheduler(1, 1)) {
      CountDownLatch gate = new CountDownLatch(1);
      List<Tasklet> slow = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Tasklet task =
            new TestTasklet(few, CoreSchedulerTest.class.getClassLoader()) {
              @Override
              protected StepResult step() {
                CoreSchedulerTest.wait(gate);
                return StepResult.ENDED;
              }
            };
        slow.add(task);
        task.wake();
      }
      CountDownLatch passed = new CountDownLatch(1);
      new TestTasklet(few, CoreSchedulerTest.class.getClassLoader()) {
        @Override
        protected StepResult step() {
          passed.countDown();
          return StepResult.ENDED;
        }
      }.wake();
      until(
          () ->
              isOn(ThreadPlacement.Kind.OWN, slow.get(0))
                  && isOn(ThreadPlacement.Kind.DENIED, slow.get(1)));

      assertThat(slow.get(1).placement().reason(Optional.empty()))
          .contains("com.example.Slow.await");
      assertThat(few.ownThreads()).isEqualTo(few.mostOwnThreads()).isEqualTo(1);
      assertThat(passed.getCount()).isEqualTo(1);
      gate.countDown();
      await(passed);
    }
  }

  @Test
  @Behaviour("F5: each ready task gets the same share of the cores, independent of its job")
  void aCoreWithOneBusyTaskHelpsOneWithMany() throws InterruptedException {
    int count = 100;
    int enough = 100;
    AtomicInteger[] steps = new AtomicInteger[count];
    AtomicBoolean over = new AtomicBoolean();
    for (int i = 0; i < count; i++) {
      AtomicInteger mine = new AtomicInteger();
      steps[i] = mine;
      Tasklet busy =
          task(
              () -> {
                for (int work = 0; work < 2_000; work++) {
                  Thread.onSpinWait();
                }
                mine.incrementAndGet();
                return over.get() ? Tasklet.StepResult.ENDED : Tasklet.StepResult.MORE;
              });
      if (i > 0) {
        // Tasks get their homes in turn: all but the first are at home with the second core.
        assertThat(task(() -> Tasklet.StepResult.ENDED).hasEnded()).isFalse();
      }
      busy.wake();
    }
    until(() -> Stream.of(steps).allMatch(done -> done.get() >= enough));
    over.set(true);

    int least = Stream.of(steps).mapToInt(AtomicInteger::get).min().getAsInt();
    int most = Stream.of(steps).mapToInt(AtomicInteger::get).max().getAsInt();
    assertThat(most).as("the slowest made %d steps", least).isLessThan(3 * least);
  }

  private static boolean isOn(ThreadPlacement.Kind kind, Tasklet task) {
    return task.placement().kind() == kind;
  }

  private static void wait(CountDownLatch gate) {
    try {
      Slow.await(gate);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(1);
    }
  }
}
