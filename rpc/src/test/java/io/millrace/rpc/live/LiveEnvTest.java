package io.millrace.rpc.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.rpc.Mailbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LiveEnvTest {
  private final LiveEnv env = new LiveEnv("test");
  private final Mailbox mailbox = env.mailbox("box");

  @AfterEach
  void close() {
    env.close();
  }

  private <T> T inside(java.util.concurrent.Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    mailbox.post(
        () -> {
          try {
            result.complete(task.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return result.get(60, TimeUnit.SECONDS);
  }

  @Test
  void runsTasksOneAtATimeInTheOrderOfEachPoster() throws Exception {
    int each = 20_000;
    List<int[]> seen = new ArrayList<>();
    AtomicInteger running = new AtomicInteger();
    AtomicBoolean overlapped = new AtomicBoolean();
    List<Thread> posters = new ArrayList<>();
    for (int poster = 0; poster < 3; poster++) {
      int me = poster;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  int number = i;
                  mailbox.post(
                      () -> {
                        if (running.incrementAndGet() != 1) {
                          overlapped.set(true);
                        }
                        seen.add(new int[] {me, number});
                        running.decrementAndGet();
                      });
                }
              });
      posters.add(thread);
      thread.start();
    }
    for (Thread poster : posters) {
      poster.join();
    }
    List<int[]> all = inside(() -> seen);

    assertThat(overlapped).isFalse();
    assertThat(all).hasSize(3 * each);
    int[] expected = new int[3];
    for (int[] entry : all) {
      assertThat(entry[1]).isEqualTo(expected[entry[0]]++);
    }
  }

  @Test
  void runsTheNextTaskAfterOneThatThrows() throws Exception {
    mailbox.post(
        () -> {
          throw new IllegalStateException("expected by this test");
        });
    assertThat(inside(() -> 1)).isEqualTo(1);
  }

  @Test
  void detectsCallsFromOutsideTheMailbox() throws Exception {
    inside(
        () -> {
          mailbox.checkInside();
          return 0;
        });
    assertThatThrownBy(mailbox::checkInside).hasMessageContaining("box");
    assertThatThrownBy(() -> mailbox.cause(1)).isInstanceOf(IllegalStateException.class);
    Mailbox other = env.mailbox("other");
    assertThatThrownBy(
            () ->
                inside(
                    () -> {
                      other.checkInside();
                      return 0;
                    }))
        .hasMessageContaining("other");
  }

  @Test
  void resetsTheCauseForEachTask() throws Exception {
    inside(
        () -> {
          mailbox.cause(7);
          assertThat(mailbox.cause()).isEqualTo(7);
          return 0;
        });
    assertThat(mailbox.cause()).isZero();
    long cause = inside(mailbox::cause);
    assertThat(cause).isZero();
  }

  @Test
  void runsDelayedTasksUnlessCancelled() throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    AtomicBoolean cancelledRan = new AtomicBoolean();
    Mailbox.Timer cancelled = mailbox.after(Duration.ofMillis(20), () -> cancelledRan.set(true));
    mailbox.after(
        Duration.ofMillis(60),
        () -> {
          mailbox.checkInside();
          ran.countDown();
        });
    cancelled.cancel();
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(cancelledRan).isFalse();
  }

  @Test
  void doesNotRunDelayedTaskThatIsCancelledInTheQueue() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    AtomicBoolean ran = new AtomicBoolean();
    mailbox.post(
        () -> {
          try {
            held.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Mailbox.Timer timer = mailbox.after(Duration.ZERO, () -> ran.set(true));
    // A later timer of another mailbox has run: the first one is in the queue by now.
    CountDownLatch later = new CountDownLatch(1);
    env.mailbox("other").after(Duration.ofMillis(20), later::countDown);
    assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
    timer.cancel();
    held.countDown();
    inside(() -> 0);
    assertThat(ran).isFalse();
  }

  @Test
  void closedMailboxRunsNothing() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    inside(
        () -> {
          mailbox.post(ran::incrementAndGet);
          mailbox.after(Duration.ZERO, ran::incrementAndGet);
          mailbox.close();
          mailbox.post(ran::incrementAndGet);
          return 0;
        });
    CountDownLatch later = new CountDownLatch(1);
    env.mailbox("other").after(Duration.ofMillis(20), later::countDown);
    assertThat(later.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ran).hasValue(0);
  }

  @Test
  void busyMailboxDoesNotStarveOthers() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors() + 2; i++) {
      Mailbox box = env.mailbox("busy-" + i);
      box.post(new Again(box, stop));
    }
    assertThat(inside(() -> "reached")).isEqualTo("reached");
    stop.set(true);
  }

  /** Posts itself again until stopped. */
  private record Again(Mailbox box, AtomicBoolean stop) implements Runnable {
    @Override
    public void run() {
      if (!stop.get()) {
        box.post(this);
      }
    }
  }

  @Test
  void blockingWorkRunsInAnotherThreadAndCompletesInTheMailbox() throws Exception {
    CompletableFuture<String> done =
        inside(
            () ->
                env.io()
                    .call(mailbox, () -> Thread.currentThread().getName())
                    .thenApply(
                        name -> {
                          mailbox.checkInside();
                          return name;
                        }));
    assertThat(done.get(60, TimeUnit.SECONDS)).startsWith("test-io");
  }

  @Test
  void reportsErrorsOfBlockingWork() {
    CompletableFuture<Object> failed =
        env.io()
            .call(
                mailbox,
                () -> {
                  throw new AssertionError("expected by this test");
                });
    assertThatThrownBy(() -> failed.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("expected by this test");
  }

  @Test
  void closedEnvRejectsWorkWithoutThrowing() {
    env.close();
    mailbox.post(() -> {});
    mailbox.after(Duration.ZERO, () -> {});
    assertThat(env.io().call(mailbox, () -> 1)).isCompletedExceptionally();
  }
}
