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
 * Answers REST requests about ended jobs from the files that {@link HistoryFiles} wrote, also when
 * their clusters are gone. Listens on loopback only.
 *
 * <p>{@link #start} is called once, {@link #stop} once after it, each from any thread.
 */
public final class HistoryServer {
  static final String LOOPBACK = "127.0.0.1";

  /** The timeout of calls to a cluster. This server makes none. */
  private static final Duration NO_CALLS = Duration.ofSeconds(1);

  private final Env env;
  private final FileSystems files;
  private final HistorySettings settings;
  private final Mailbox mailbox;
  private final HistoryJobs jobs;
  private final Rpc unusedRpc;
  private final RestServer rest;

  public HistoryServer(Env env, FileSystems files, HistorySettings settings) {
    this.env = env;
    this.files = files;
    this.settings = settings;
    this.mailbox = env.mailbox("history");
    this.jobs = new HistoryJobs(files, settings);
    // The request handler needs gateways; here they have no leader and no operation calls them.
    this.unusedRpc = new Rpc(env, new InProcessNetwork().join("history"), NO_CALLS);
    this.rest =
        new RestServer(
            new ClusterGateways(unusedRpc, new EmbeddedLeaderElection(env)),
            new RestSettings(
                LOOPBACK,
                LOOPBACK,
                settings.ports(),
                Path.of(""),
                0,
                NO_CALLS,
                settings.access(),
                ConnectionLimits.DEFAULT,
                Optional.empty(),
                Optional.empty(),
                WebSettings.DEFAULT),
            new HistoryOperations(jobs).table());
  }

  /** Reads the directories and starts to listen; completes with {@code host:port}. */
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
    return rest.stop().whenComplete((stopped, failure) -> unusedRpc.close());
  }

  /** Fails for a directory that does not exist, instead of showing it as one without jobs. */
  private void check(FilePath directory) throws IOException {
    Optional<FileStatus> status = files.of(directory).status(directory);
    if (status.isEmpty() || !status.get().isDirectory()) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no directory "
              + directory
              + " with archives of ended jobs. A JobManager creates it when the first job ends, if"
              + " its "
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
