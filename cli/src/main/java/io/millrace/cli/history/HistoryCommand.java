package io.millrace.cli.history;

import io.millrace.cli.common.CommonMixin;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.UsageException;
import io.millrace.cli.server.ServerCommand;
import io.millrace.client.ConfigurationFile;
import io.millrace.cluster.HistoryServerProcess;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HistoryOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** A history server in the foreground. */
@Command(
    name = "history",
    description = {
      "Serves ended jobs from their archives, without their clusters, until it is interrupted.",
      "JobManagers write the archives to the directory jobmanager.archive.fs.dir. `list -a`,"
          + " `explain` and `timeline` show the jobs with -m 127.0.0.1:PORT."
    },
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  millrace cluster start -D jobmanager.archive.fs.dir=/data/ended-jobs",
      "  millrace history --dir /data/ended-jobs --port 8082"
    })
public final class HistoryCommand extends ServerCommand {
  private final Console console;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description =
          "Directory with archives of jobs; may be repeated. Default:"
              + " historyserver.archive.fs.dir.")
  private List<String> directories = new ArrayList<>();

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description =
          "Port to listen at, on loopback; 0 takes a free one. Default: historyserver.web.port.")
  private Optional<Integer> port = Optional.empty();

  public HistoryCommand(Console console, CommonMixin common) {
    super(HistoryServerProcess::run, common);
    this.console = console;
  }

  @Override
  public List<String> overrides() {
    List<String> overrides = new ArrayList<>(super.overrides());
    if (!directories.isEmpty()) {
      overrides.add(HistoryOptions.SERVED_DIRS.key() + "=" + String.join(";", directories));
    }
    port.ifPresent(given -> overrides.add(HistoryOptions.WEB_PORT.key() + "=" + given));
    UsageException.reading(
        () -> {
          Configuration configuration =
              ConfigurationFile.load(
                  console.process(),
                  overrides,
                  // The server prints the warnings.
                  warning -> {});
          if (configuration.get(HistoryOptions.SERVED_DIRS).isEmpty()) {
            throw new UsageException(
                "The directory with the archives of ended jobs is not given. Name it with --dir or "
                    + HistoryOptions.SERVED_DIRS.key()
                    + ".");
          }
          HistoryServerProcess.check(configuration);
          return configuration;
        });
    return overrides;
  }
}
