package io.millrace.rpc.live;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.log.LogContext;
import io.millrace.rpc.Env;
import io.millrace.rpc.IoExecutor;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.journal.Journal;
import io.millrace.rpc.journal.JournalEntry;
import java.security.SecureRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * An {@link Env} on threads. All mailboxes share a few threads because their tasks do not block.
 * Blocking work has its own threads, which end when idle.
 */
public final class LiveEnv implements Env, AutoCloseable {
  private final SecureRandom random = new SecureRandom();
  private final Journal journal;
  private final ExecutorService mailboxes;
  private final ThreadPoolExecutor blocking;
  private final ScheduledThreadPoolExecutor timers;

  /**
   * With a few threads for blocking work.
   *
   * @param name prefix of the names of the threads
   */
  public LiveEnv(String name) {
    this(name, entry -> {});
  }

  /**
   * With a few threads for blocking work.
   *
   * @param name prefix of the names of the threads
   * @param decisions gets each entry of the journal, see {@link Journal}
   */
  public LiveEnv(String name, Consumer<JournalEntry> decisions) {
    this(name, Math.max(4, 2 * Runtime.getRuntime().availableProcessors()), decisions);
  }

  /**
   * @param name prefix of the names of the threads
   * @param ioThreads how many threads block at once; all further blocking work waits
   */
  public LiveEnv(String name, int ioThreads) {
    this(name, ioThreads, entry -> {});
  }

  /**
   * @param name prefix of the names of the threads
   * @param ioThreads how many threads block at once; all further blocking work waits
   * @param decisions gets each entry of the journal, see {@link Journal}
   */
  public LiveEnv(String name, int ioThreads, Consumer<JournalEntry> decisions) {
    journal = new Journal(random.nextLong(), System::currentTimeMillis, decisions);
    int cores = Runtime.getRuntime().availableProcessors();
    mailboxes = Executors.newFixedThreadPool(Math.max(2, cores), threads(name + "-control"));
    blocking =
        new ThreadPoolExecutor(
            ioThreads,
            ioThreads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads(name + "-io"));
    blocking.allowCoreThreadTimeOut(true);
    timers = new ScheduledThreadPoolExecutor(1, threads(name + "-timer"));
    timers.setRemoveOnCancelPolicy(true);
    timers.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  /** Some ids serve as secrets, so the generator must be unpredictable. */
  @Override
  public RandomGenerator random(String purpose) {
    return random;
  }

  @Override
  public Mailbox mailbox(String name) {
    return mailbox(name, LogContext.NONE);
  }

  @Override
  public Mailbox mailbox(String name, LogContext context) {
    return new LiveMailbox(name, context, mailboxes, timers);
  }

  @Override
  public IoExecutor io() {
    return this::call;
  }

  @Override
  public Journal journal() {
    return journal;
  }

  @Override
  public void close() {
    timers.shutdownNow();
    mailboxes.shutdown();
    blocking.shutdownNow();
  }

  private <T> CompletableFuture<T> call(Mailbox replyTo, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    LogContext context =
        replyTo instanceof LiveMailbox mailbox ? mailbox.context() : LogContext.NONE;
    try {
      blocking.execute(
          () -> {
            context.enter();
            try {
              T value = work.call();
              replyTo.post(() -> result.complete(value));
            } catch (Throwable e) {
              // Also errors: user programs run here, and the caller has to learn of their errors.
              replyTo.post(() -> result.completeExceptionally(e));
            } finally {
              context.leave();
            }
          });
    } catch (RejectedExecutionException e) {
      result.completeExceptionally(
          new MillraceException(ErrorKind.EXTERNAL, "The process is stopping.", e));
    }
    return result;
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
