package io.millrace.cluster;

import io.millrace.client.ProgramExit;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ProcessOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.security.DelegationTokens;
import io.millrace.protocol.reason.ApplicationStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every server process does: says who it is, lays its foundation, starts its services in order
 * on it, stops them in reverse, each within a bound, and leaves with a code that tells the outcome.
 */
final class ServerProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);
  private static final Duration STOP_BOUND = Duration.ofSeconds(5);

  /** Something that was started and has to be stopped. */
  @FunctionalInterface
  interface Stop {
    CompletableFuture<Void> stop();
  }

  /** Starts the services of a process. */
  @FunctionalInterface
  interface Services {
    void start(ServerProcess process) throws Exception;
  }

  private record Service(String name, Stop stop) {}

  private final String name;
  private final FatalExitExceptionHandler fatalExit;
  private final Deque<Service> services = new ArrayDeque<>();
  private final SignalHandler signals;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicReference<ExitCode> outcome = new AtomicReference<>();
  private volatile Supplier<Optional<ApplicationOutcome>> exitVerdict = Optional::empty;
  private volatile String diagnostics = "";
  private volatile boolean programsOwnCode;
  private volatile Optional<ShutdownHooks> hooks = Optional.empty();

  /** What fails from then on fails because something it needs has been stopped. */
  private volatile boolean stopping;

  private Plugins plugins = Plugins.NONE;
  private FileSystems files = FileSystems.withoutPlugins();
  private DelegationTokens tokens = DelegationTokens.NONE;

  private ServerProcess(String name, FatalExitExceptionHandler fatalExit) {
    this.name = name;
    this.fatalExit = fatalExit;
    this.signals = new SignalHandler(name);
  }

  /**
   * Runs a process to its end; returns its exit code. The order is the same in every process:
   * fatal-exit policy, plugins, file systems, security context, and inside that the services.
   */
  static int run(String name, Configuration configuration, Services services) {
    FatalExitExceptionHandler fatalExit = new FatalExitExceptionHandler(name, configuration);
    ServerProcess process = new ServerProcess(name, fatalExit);
    StartUpLog.write(name, configuration);
    fatalExit.install();
    process.signals.install();
    Runtime.getRuntime().addShutdownHook(new Thread(process::shutDown, name + "-shutdown"));
    process.hooks = ShutdownHooks.install();
    try {
      ProcessContext context = ProcessContext.create(configuration);
      process.plugins = context.plugins();
      process.files = context.files();
      process.tokens = context.tokens();
      process.started("Process context", () -> closed(context));
      context
          .security()
          .call(
              () -> {
                process.serve(services);
                return process;
              });
    } catch (Exception | LinkageError e) {
      process.notStarted(Failure.unwrap(e));
    }
    process.stopAllBut(0);
    LOG.info("{} ends: {}", name, process.outcome);
    return process.outcome.get().code();
  }

  /** Starts the services and stops them again, but for the foundation, inside which this runs. */
  private void serve(Services starting) {
    try {
      starting.start(this);
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(ExitCode.UNKNOWN);
    } catch (Exception | LinkageError e) {
      notStarted(Failure.unwrap(e));
    }
    stopAllBut(1);
  }

  private static CompletableFuture<Void> closed(ProcessContext context) {
    try {
      context.close();
      return CompletableFuture.completedFuture(null);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  Plugins plugins() {
    return plugins;
  }

  /** What sources, sinks and stores of this process read from and write to. */
  FileSystems files() {
    return files;
  }

  /** Who obtains and who takes delegation tokens in this process. */
  DelegationTokens tokens() {
    return tokens;
  }

  /** Registers a started service; they are stopped in reverse order. */
  void started(String service, Stop stop) {
    services.push(new Service(service, stop));
    LOG.info("{} started", service);
  }

  /**
   * Does what takes as long as the process. Where it fails nobody would go on, so the process ends;
   * where the process ends, it is not waited for.
   */
  void inBackground(String thread, Runnable work) {
    Thread background = new Thread(work, thread);
    background.setUncaughtExceptionHandler(
        (failed, failure) -> {
          if (stopping) {
            LOG.info("{} is given up, because the process stops: {}", thread, failure.toString());
          } else {
            componentDied(failure);
          }
        });
    background.setDaemon(true);
    background.start();
  }

  /** Ends the process in good order, unless it ends already; returns whether this did it. */
  boolean end(ExitCode code) {
    return end(code, "");
  }

  /**
   * @param why for whoever hears of the outcome
   */
  boolean end(ExitCode code, String why) {
    boolean first = outcome.compareAndSet(null, code);
    if (first) {
      diagnostics = why;
    }
    ended.countDown();
    return first;
  }

  /** How the application ended that this process ran; nothing where only the process ends. */
  Optional<ApplicationStatus> ofApplication() {
    return Optional.ofNullable(outcome.get()).flatMap(ExitCode::status);
  }

  String diagnostics() {
    return diagnostics;
  }

  /** Whether nobody starts this process again to go on with what it did. */
  boolean endedForGood() {
    return Optional.ofNullable(outcome.get()).map(ExitCode::isOfApplication).orElse(false);
  }

  /**
   * For a process that runs a program, which may end it by {@code System.exit}.
   *
   * @param verdict what to end with instead of the program's own code, if anything; asked while all
   *     services still run
   */
  void whenProgramExits(Supplier<Optional<ApplicationOutcome>> verdict) {
    exitVerdict = verdict;
  }

  /** Ends the process at once: what runs on could do harm. */
  void fatal(Throwable cause) {
    fatalExit.end(cause);
  }

  /**
   * A component has died. Trouble outside of this process, such as with storage, is left to another
   * attempt. What went wrong in the component itself ends the application: nobody knows its outcome
   * then, so that what it could be recovered from is kept.
   */
  void componentDied(Throwable thrown) {
    Throwable cause = Failure.unwrap(thrown);
    if (isOutside(cause)) {
      fatal(thrown);
    } else if (end(ExitCode.UNKNOWN, "A component died: " + Failure.sentence(cause))) {
      LOG.error("{} ends as UNKNOWN, because a component died", name, cause);
      System.err.println(
          name + " ends as UNKNOWN, because a component died: " + Failure.sentence(cause));
    }
  }

  private static boolean isOutside(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError
          || cause instanceof IOException
          || (cause instanceof MillraceException known && known.kind() != ErrorKind.BUG)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Writes what others need to reach this process, all at once, so that nobody reads half of it.
   */
  static void publish(Configuration configuration, Map<String, String> facts) {
    configuration
        .find(ProcessOptions.ADDRESS_FILE)
        .map(Path::of)
        .ifPresent(
            file -> {
              StringBuilder lines = new StringBuilder();
              facts.forEach(
                  (key, value) -> lines.append(key).append('=').append(value).append('\n'));
              try {
                Path draft = file.resolveSibling(file.getFileName() + ".new");
                Files.writeString(draft, lines.toString());
                Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /**
   * Runs whenever the JVM shuts down: by a signal, by a program's {@code System.exit}, and when the
   * process has ended by itself. Other hooks run beside it and may hang in each of these cases.
   */
  private void shutDown() {
    new ShutdownSafeguard(name, this::exitCode, hooks).arm();
    Optional<ApplicationOutcome> verdict = Optional.empty();
    if (ended.getCount() > 0 && ProgramExit.isUnderWay()) {
      verdict = exitVerdict.get();
      programsOwnCode = verdict.isEmpty();
      ApplicationOutcome ending = verdict.orElse(ApplicationOutcome.SUCCEEDED_WITH_OWN_CODE);
      if (programsOwnCode) {
        LOG.info("{} The exit code of {} is the one that it gave.", ending.reason(), name);
      }
      if (outcome.compareAndSet(null, ending.code())) {
        diagnostics = ending.reason();
      }
    }
    // Where the process stops its services by itself at this moment, waits until it has.
    stopAllBut(0);
    verdict.ifPresent(ending -> Runtime.getRuntime().halt(ending.code().code()));
  }

  /** Nothing where the JVM was asked by others to end: by a signal, or by the program. */
  private OptionalInt exitCode() {
    ExitCode known = outcome.get();
    return programsOwnCode || known == null ? OptionalInt.empty() : OptionalInt.of(known.code());
  }

  /** A port in use or a wrong setting needs a sentence; only a mistake of ours needs the stack. */
  private void notStarted(Throwable cause) {
    end(ExitCode.START_UP_FAILURE);
    String sentence = Failure.sentence(cause);
    if (cause instanceof MillraceException known && known.kind() != ErrorKind.BUG) {
      LOG.error("{} could not start: {}", name, sentence);
      LOG.debug("Where it was noticed", cause);
    } else {
      LOG.error("{} could not start: {}", name, sentence, cause);
    }
    System.err.println(name + " could not start: " + sentence);
  }

  /** Stops in reverse what was started, but for the first ones. */
  private synchronized void stopAllBut(int first) {
    stopping = true;
    while (services.size() > first) {
      Service service = services.pop();
      try {
        service.stop().stop().get(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
        LOG.info("{} stopped", service.name());
      } catch (TimeoutException e) {
        LOG.warn("{} did not stop within {}", service.name(), STOP_BOUND);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        LOG.warn("Interrupted while stopping {}", service.name());
      } catch (Exception e) {
        LOG.warn("{} did not stop cleanly", service.name(), e);
      }
    }
  }
}
