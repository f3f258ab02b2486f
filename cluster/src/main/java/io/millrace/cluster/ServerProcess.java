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
 * The lifecycle of a server process: logs its configuration, creates its context, starts its
 * services in order, stops them in reverse order with a timeout each, and ends with an exit code
 * for the outcome.
 */
final class ServerProcess {
  private static final Logger LOG = LoggerFactory.getLogger(ServerProcess.class);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

  /** Stops a service. */
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
  private final AtomicReference<ApplicationOutcome> outcome = new AtomicReference<>();
  private volatile Supplier<Optional<ApplicationOutcome>> programExitOutcome = Optional::empty;
  private volatile boolean usesCodeOfProgram;
  private volatile ShutdownHooks hooks = ShutdownHooks.NONE;

  /** From then on failures are expected, because services that are needed have stopped. */
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
   * Runs a process until it ends; returns its exit code. The order is the same in all processes:
   * handler of fatal errors, plugins, file systems, security context, and inside it the services.
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
    process.stopAllExcept(0);
    LOG.info("{} ends: {}", name, process.outcome.get().code());
    return process.outcome.get().code().code();
  }

  /** Starts the services and stops them again, except the context in which this method runs. */
  private void serve(Services starting) {
    try {
      starting.start(this);
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      end(ExitCode.UNKNOWN, "The main thread of the process was interrupted.");
    } catch (Exception | LinkageError e) {
      notStarted(Failure.unwrap(e));
    }
    stopAllExcept(1);
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

  /** The file systems of sources, sinks and stores of this process. */
  FileSystems files() {
    return files;
  }

  /** The providers and receivers of delegation tokens of this process. */
  DelegationTokens tokens() {
    return tokens;
  }

  /** Registers a started service. Services are stopped in reverse order. */
  void started(String service, Stop stop) {
    services.push(new Service(service, stop));
    LOG.info("{} started", service);
  }

  /**
   * Runs work in a daemon thread. If the work fails, the process ends; if the process ends, it does
   * not wait for the work.
   */
  void inBackground(String thread, Runnable work) {
    Thread background = new Thread(work, thread);
    background.setUncaughtExceptionHandler(
        (failed, failure) -> {
          if (stopping) {
            LOG.info("{} is abandoned, because the process stops: {}", thread, failure.toString());
          } else {
            componentFailed(failure);
          }
        });
    background.setDaemon(true);
    background.start();
  }

  /**
   * Ends the process in order. Returns false if it is already ending.
   *
   * @param why the reason, for the log and for cluster managers
   */
  boolean end(ExitCode code, String why) {
    boolean first = outcome.compareAndSet(null, new ApplicationOutcome(code, why));
    ended.countDown();
    return first;
  }

  /** The status of the application of this process; empty if only the process ends. */
  Optional<ApplicationStatus> applicationStatus() {
    return Optional.ofNullable(outcome.get()).flatMap(ending -> ending.code().status());
  }

  /** The reason for the end; empty if the process does not end. */
  String diagnostics() {
    return Optional.ofNullable(outcome.get()).map(ApplicationOutcome::reason).orElse("");
  }

  /** How the application has ended, so that no other attempt continues it. */
  Optional<ApplicationOutcome> endedApplication() {
    return Optional.ofNullable(outcome.get()).filter(ending -> ending.code().isOfApplication());
  }

  /**
   * For a process that runs a program, which may call {@code System.exit}.
   *
   * @param outcome the outcome to end with; empty to end with the exit code of the program. Called
   *     while all services still run
   */
  void whenProgramExits(Supplier<Optional<ApplicationOutcome>> outcome) {
    programExitOutcome = outcome;
  }

  /** Ends the process at once, because a process in an undefined state could damage data. */
  void fatal(Throwable cause) {
    fatalExit.end(cause);
  }

  /**
   * A component has failed. After an external cause, for example of storage, the process ends and
   * another attempt continues. After an error in the component itself the application ends as
   * UNKNOWN; its outcome is not known, so the recovery data is kept.
   */
  void componentFailed(Throwable thrown) {
    Throwable cause = Failure.unwrap(thrown);
    if (isExternal(cause)) {
      fatal(thrown);
    } else if (end(ExitCode.UNKNOWN, "A component failed: " + Failure.sentence(cause))) {
      LOG.error("{} ends as UNKNOWN, because a component failed", name, cause);
      System.err.println(
          name + " ends as UNKNOWN, because a component failed: " + Failure.sentence(cause));
    }
  }

  private static boolean isExternal(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof VirtualMachineError
          || cause instanceof IOException
          || (cause instanceof MillraceException known && known.kind() != ErrorKind.BUG)) {
        return true;
      }
    }
    return false;
  }

  /** Writes the addresses of this process into its address file, atomically. */
  static void publish(Configuration configuration, Map<String, String> addresses) {
    configuration
        .find(ProcessOptions.ADDRESS_FILE)
        .map(Path::of)
        .ifPresent(
            file -> {
              StringBuilder lines = new StringBuilder();
              addresses.forEach(
                  (key, value) -> lines.append(key).append('=').append(value).append('\n'));
              try {
                Path temporary = file.resolveSibling(file.getFileName() + ".new");
                Files.writeString(temporary, lines.toString());
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /**
   * A shutdown hook. It runs after a signal, after {@code System.exit} of a program, and at the
   * normal end of the process. Other hooks run concurrently and may hang in each case.
   */
  private void shutDown() {
    new ShutdownSafeguard(name, this::exitCode, hooks).arm();
    Optional<ApplicationOutcome> override = Optional.empty();
    if (ended.getCount() > 0 && ProgramExit.isUnderWay()) {
      override = programExitOutcome.get();
      usesCodeOfProgram = override.isEmpty();
      ApplicationOutcome result =
          override.orElseGet(() -> ApplicationOutcome.ofProgramExit(hooks.exitStatus()));
      if (usesCodeOfProgram) {
        LOG.info("{} {} ends with the exit code of the program.", result.reason(), name);
      }
      outcome.compareAndSet(null, result);
    }
    // If another thread is stopping the services, this call waits for it.
    stopAllExcept(0);
    override.ifPresent(result -> Runtime.getRuntime().halt(result.code().code()));
  }

  /** Empty if the JVM already has an exit code, from a signal or from the program. */
  private OptionalInt exitCode() {
    ApplicationOutcome ending = outcome.get();
    return usesCodeOfProgram || ending == null
        ? OptionalInt.empty()
        : OptionalInt.of(ending.code().code());
  }

  /** Errors of the user or the environment are logged in one sentence, bugs with their stack. */
  private void notStarted(Throwable cause) {
    String sentence = Failure.sentence(cause);
    end(ExitCode.START_UP_FAILURE, name + " could not start: " + sentence);
    if (cause instanceof MillraceException known && known.kind() != ErrorKind.BUG) {
      LOG.error("{} could not start: {}", name, sentence);
      LOG.debug("Where it was noticed", cause);
    } else {
      LOG.error("{} could not start: {}", name, sentence, cause);
    }
    System.err.println(name + " could not start: " + sentence);
  }

  /** Stops services in reverse order, except the first ones. */
  private synchronized void stopAllExcept(int first) {
    stopping = true;
    while (services.size() > first) {
      Service service = services.pop();
      try {
        service.stop().stop().get(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        LOG.info("{} stopped", service.name());
      } catch (TimeoutException e) {
        LOG.warn("{} did not stop within {}", service.name(), STOP_TIMEOUT);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        LOG.warn("Interrupted while stopping {}", service.name());
      } catch (Exception e) {
        LOG.warn("{} did not stop cleanly", service.name(), e);
      }
    }
  }
}
