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

class CoresTest {
  private final Cores cores = new Cores(2, 256);

  @AfterEach
  void close() {
    cores.close();
  }

  private TestStepped task(java.util.function.Supplier<Stepped.Outcome> step) {
    return new TestStepped(cores, CoresTest.class.getClassLoader()) {
      @Override
      protected Outcome step() {
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
    Stepped task =
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
              return Stepped.Outcome.IDLE;
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
            return Stepped.Outcome.ENDED;
          })
          .wake();
    }
    CountDownLatch passed = new CountDownLatch(100);
    Stepped quick =
        task(
            () -> {
              passed.countDown();
              return Stepped.Outcome.MORE;
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
    Stepped slow =
        new TestStepped(cores, CoresTest.class.getClassLoader()) {
          @Override
          protected Outcome step() {
            if (steps.getAndIncrement() == 0) {
              block("waited", left::get);
              return Outcome.MORE;
            }
            if (!detached) {
              back.countDown();
              return Outcome.ENDED;
            }
            return Outcome.MORE;
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
    List<Stepped> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Stepped task =
          new TestStepped(cores, CoresTest.class.getClassLoader()) {
            @Override
            protected Outcome step() {
              blocked.countDown();
              block("waited", open::get);
              ended.countDown();
              return Outcome.ENDED;
            }
          };
      tasks.add(task);
      task.wake();
    }
    await(blocked);
    open.set(true);
    tasks.forEach(Stepped::wake);
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
        TestStepped task =
            task(
                () -> {
                  if (left.getAndDecrement() > 0) {
                    return Stepped.Outcome.MORE;
                  }
                  throw CoresTest.<RuntimeException>sneak(thrown);
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
      TestStepped task =
          new TestStepped(cores, CoresTest.class.getClassLoader()) {
            @Override
            protected Outcome step() {
              steps.incrementAndGet();
              throw new IllegalArgumentException("the reason");
            }

            @Override
            protected void fail(Throwable cause) {
              if (unheardFailures.getAndDecrement() > 0) {
                throw CoresTest.<RuntimeException>sneak(thrown);
              }
              super.fail(cause);
            }

            @Override
            protected void end() {
              if (unheardEnds.getAndDecrement() > 0) {
                throw CoresTest.<RuntimeException>sneak(thrown);
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
      TestStepped task = task(() -> Stepped.Outcome.IDLE);
      task.after(
          Duration.ofMillis(1),
          () -> {
            throw CoresTest.<RuntimeException>sneak(thrown);
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
          return Stepped.Outcome.ENDED;
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
    List<Stepped> slow = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      slow.add(
          task(
              () -> {
                wait(gate);
                return Stepped.Outcome.ENDED;
              }));
      slow.get(i).wake();
    }
    Stepped quick = task(() -> Stepped.Outcome.MORE);
    quick.wake();
    until(() -> slow.stream().anyMatch(task -> isOn(Residence.Kind.OWN, task)));

    Stepped first = slow.stream().filter(task -> isOn(Residence.Kind.OWN, task)).findFirst().get();
    assertThat(first.residence().reason(Optional.empty()))
        .matches("held its core for \\d+ ms in com\\.example\\.Slow\\.await\\(Slow\\.java:\\d+\\)");
    assertThat(first.residence().since()).isPositive();
    assertThat(cores.ownThreads()).isPositive();
    assertThat(quick.residence().kind()).isEqualTo(Residence.Kind.CORE);
    gate.countDown();
    until(() -> slow.stream().allMatch(Stepped::hasEnded));
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
            return Stepped.Outcome.ENDED;
          })
          .wake();
    }
    CountDownLatch passed = new CountDownLatch(100);
    task(() -> {
          passed.countDown();
          return Stepped.Outcome.MORE;
        })
        .wake();
    await(passed);
    gate.countDown();
  }

  @Test
  @Behaviour("F5: own threads are capped, and a task that needs one beyond the cap says so")
  void ownThreadsAreCappedAndWhoWouldNeedOneSaysSo() throws InterruptedException {
    try (Cores few = new Cores(1, 1)) {
      CountDownLatch gate = new CountDownLatch(1);
      List<Stepped> slow = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        Stepped task =
            new TestStepped(few, CoresTest.class.getClassLoader()) {
              @Override
              protected Outcome step() {
                CoresTest.wait(gate);
                return Outcome.ENDED;
              }
            };
        slow.add(task);
        task.wake();
      }
      CountDownLatch passed = new CountDownLatch(1);
      new TestStepped(few, CoresTest.class.getClassLoader()) {
        @Override
        protected Outcome step() {
          passed.countDown();
          return Outcome.ENDED;
        }
      }.wake();
      until(
          () -> isOn(Residence.Kind.OWN, slow.get(0)) && isOn(Residence.Kind.DENIED, slow.get(1)));

      assertThat(slow.get(1).residence().reason(Optional.empty()))
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
      Stepped busy =
          task(
              () -> {
                for (int work = 0; work < 2_000; work++) {
                  Thread.onSpinWait();
                }
                mine.incrementAndGet();
                return over.get() ? Stepped.Outcome.ENDED : Stepped.Outcome.MORE;
              });
      if (i > 0) {
        // Tasks get their homes in turn: all but the first are at home with the second core.
        assertThat(task(() -> Stepped.Outcome.ENDED).hasEnded()).isFalse();
      }
      busy.wake();
    }
    until(() -> Stream.of(steps).allMatch(done -> done.get() >= enough));
    over.set(true);

    int least = Stream.of(steps).mapToInt(AtomicInteger::get).min().getAsInt();
    int most = Stream.of(steps).mapToInt(AtomicInteger::get).max().getAsInt();
    assertThat(most).as("the slowest made %d steps", least).isLessThan(3 * least);
  }

  private static boolean isOn(Residence.Kind kind, Stepped task) {
    return task.residence().kind() == kind;
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
