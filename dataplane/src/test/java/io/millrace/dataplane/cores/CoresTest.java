package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoresTest {
  private final Cores cores = new Cores(2);

  @AfterEach
  void close() {
    cores.close();
  }

  private Stepped task(java.util.function.Supplier<Stepped.Outcome> step) {
    return new Stepped(cores, CoresTest.class.getClassLoader()) {
      @Override
      protected Outcome step() {
        return step.get();
      }
    };
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
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
  void aTaskThatBehavesAgainReturnsToACore() throws InterruptedException {
    CountDownLatch back = new CountDownLatch(1);
    AtomicInteger steps = new AtomicInteger();
    AtomicBoolean left = new AtomicBoolean();
    Stepped slow =
        new Stepped(cores, CoresTest.class.getClassLoader()) {
          @Override
          protected Outcome step() {
            if (steps.getAndIncrement() == 0) {
              block(left::get);
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
          new Stepped(cores, CoresTest.class.getClassLoader()) {
            @Override
            protected Outcome step() {
              blocked.countDown();
              block(open::get);
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
}
