package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;

/** A connection of a client to YARN, with Hadoop's settings and login. */
final class YarnConnection implements AutoCloseable {
  /** What is not removed then, a later command removes. */
  private static final Duration CLEANING_TIMEOUT = Duration.ofSeconds(5);

  private final Configuration configuration;
  private final HadoopContext hadoop;
  private final YarnResourceManagerClient yarn;
  private final RestTokenStore tokens;
  private Optional<Thread> cleaning = Optional.empty();

  private YarnConnection(
      Configuration configuration,
      HadoopContext hadoop,
      YarnResourceManagerClient yarn,
      RestTokenStore tokens) {
    this.configuration = configuration;
    this.hadoop = hadoop;
    this.yarn = yarn;
    this.tokens = tokens;
  }

  static YarnConnection open(Configuration configuration, Map<String, String> environment) {
    return open(configuration, environment, hadoop -> {});
  }

  /** Opens the file system for the application's files at the same time. */
  static YarnConnection openForDeployment(
      Configuration configuration, Map<String, String> environment) {
    return open(
        configuration,
        environment,
        hadoop -> StagingDirectory.openInBackground(configuration, hadoop.settings()));
  }

  private static YarnConnection open(
      Configuration configuration,
      Map<String, String> environment,
      Consumer<HadoopContext> loggedIn) {
    return PluginContext.call(
        () -> {
          HadoopContext hadoop = HadoopContext.of(configuration, environment);
          loggedIn.accept(hadoop);
          return new YarnConnection(
              configuration,
              hadoop,
              YarnResourceManagerClient.of(hadoop.settings()),
              RestTokenStore.of(configuration, environment));
        });
  }

  YarnApplication deploy(DeploymentSpec plan, EngineArchive engine, Progress progress) {
    return PluginContext.call(
        () -> new YarnClusterDeployer(hadoop, yarn, engine, tokens, progress).deploy(plan));
  }

  /** An application that YARN knows; it may have ended. */
  Optional<YarnApplication> find(String text) {
    return PluginContext.call(
        () -> {
          ApplicationId id = parse(text);
          return yarn.report(id).map(report -> application(report));
        });
  }

  private static ApplicationId parse(String text) {
    try {
      return ApplicationId.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "'"
              + text
              + "' ("
              + YarnOptions.APPLICATION_ID.key()
              + " or -yid) is not the id of an application, such as"
              + " application_1700000000000_0001. `yarn application -list` shows them.",
          e);
    }
  }

  private YarnApplication application(ApplicationReport report) {
    ApplicationId id = report.getApplicationId();
    return new YarnApplication(
        yarn,
        id,
        StagingDirectory.of(configuration, hadoop.settings(), id.toString()),
        tokens,
        report);
  }

  /**
   * The clusters of a mode that have not ended.
   *
   * @param allUsers whether those of other users are listed, too
   */
  List<YarnApplication> running(DeploymentMode mode, boolean allUsers) {
    return PluginContext.call(
        () ->
            yarn.running(mode.tag()).stream()
                .filter(report -> allUsers || report.getUser().equals(HadoopContext.userName()))
                .map(this::application)
                .toList());
  }

  /**
   * Removes what ended applications of this user have left, in a thread; {@link #close} waits for
   * it for a short time.
   */
  synchronized void cleanInBackground() {
    cleaning = Optional.of(cleaner().removeInBackground(Optional.empty()));
  }

  private StagingCleaner cleaner() {
    return new StagingCleaner(yarn, hadoop, configuration, tokens);
  }

  /** Removes what ended applications have left, and reports what is there. */
  List<CleanupFinding> clean(CleanupRequest request) {
    return PluginContext.call(
        () -> {
          List<CleanupFinding> findings = new ArrayList<>(cleaner().clean(request));
          findings.addAll(new RecoveryDataCleaner(yarn, hadoop, configuration).clean(request));
          findings.addAll(new ProvidedLibraryCleaner(yarn, hadoop, configuration).clean(request));
          return findings;
        });
  }

  @Override
  public synchronized void close() {
    cleaning.ifPresent(YarnConnection::await);
    PluginContext.run(yarn::close);
  }

  private static void await(Thread thread) {
    try {
      thread.join(CLEANING_TIMEOUT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
