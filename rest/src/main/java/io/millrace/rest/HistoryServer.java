package io.millrace.rest;

import io.millrace.core.config.HistoryOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystems;
import io.millrace.rpc.Acknowledge;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Answers REST requests about jobs whose clusters may be gone, from the files that {@link
 * HistoryFiles} wrote. Listens on loopback only.
 *
 * <p>{@link #start} once, {@link #stop} once after it; each may be called from any thread.
 */
public final class HistoryServer {
  static final String LOOPBACK = "127.0.0.1";

  /** Nothing is asked of anybody. */
  private static final Duration NO_TIME = Duration.ofSeconds(1);

  private final Env env;
  private final FileSystems files;
  private final HistorySettings settings;
  private final Mailbox mailbox;
  private final HistoryJobs jobs;
  private final Rpc nobody;
  private final RestServer rest;

  public HistoryServer(Env env, FileSystems files, HistorySettings settings) {
    this.env = env;
    this.files = files;
    this.settings = settings;
    this.mailbox = env.mailbox("history");
    this.jobs = new HistoryJobs(files, settings);
    // A cluster in which nobody ever leads.
    this.nobody = new Rpc(env, new InProcessNetwork().join("history"), NO_TIME);
    this.rest =
        new RestServer(
            new ClusterGateways(nobody, new EmbeddedLeaderElection(env)),
            new RestSettings(
                LOOPBACK,
                LOOPBACK,
                settings.port(),
                Path.of(""),
                0,
                NO_TIME,
                settings.access(),
                ConnectionLimits.DEFAULT,
                Optional.empty(),
                Optional.empty()),
            HistoryOptions.WEB_PORT.key(),
            new HistoryOperations(jobs).table());
  }

  /** Reads what is there and begins to listen; completes with {@code host:port}. */
  public CompletableFuture<String> start() {
    return env.io()
        .call(
            mailbox,
            () -> {
              for (FilePath directory : settings.directories()) {
                check(directory);
              }
              jobs.refresh();
              return Acknowledge.INSTANCE;
            })
        .thenCompose(
            read -> {
              mailbox.after(settings.refreshInterval(), this::refresh);
              return rest.start();
            });
  }

  public CompletableFuture<Void> stop() {
    mailbox.close();
    return rest.stop().whenComplete((stopped, failure) -> nobody.close());
  }

  /** A wrong name is told at once and not shown as a directory without jobs. */
  private void check(FilePath directory) throws IOException {
    Optional<FileStatus> there = files.of(directory).status(directory);
    if (there.isEmpty() || !there.get().isDirectory()) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no directory "
              + directory
              + " with archives of ended jobs. A JobManager makes it when the first job ends, if its "
              + HistoryOptions.ARCHIVE_DIR.key()
              + " is set.");
    }
  }

  private void refresh() {
    env.io()
        .call(
            mailbox,
            () -> {
              jobs.refresh();
              return Acknowledge.INSTANCE;
            })
        .whenComplete((done, failure) -> mailbox.after(settings.refreshInterval(), this::refresh));
  }
}
