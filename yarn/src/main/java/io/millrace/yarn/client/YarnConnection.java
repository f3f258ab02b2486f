package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;

/** A connection of a client to YARN, with Hadoop's settings and login. */
final class YarnConnection implements AutoCloseable {
  private final Configuration configuration;
  private final HadoopContext hadoop;
  private final YarnResourceManagerClient yarn;
  private final RestTokenStore tokens;

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
    return PluginContext.call(
        () -> {
          HadoopContext hadoop = HadoopContext.of(configuration, environment);
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

  /** The clusters of a mode that have not ended. */
  List<YarnApplication> running(DeploymentMode mode) {
    return PluginContext.call(
        () -> yarn.running(mode.tag()).stream().map(this::application).toList());
  }

  /** Removes what ended applications have left, and reports what is there. */
  List<CleanupFinding> clean(CleanupRequest request) {
    return PluginContext.call(
        () -> new StagingCleaner(yarn, hadoop, configuration, tokens).clean(request));
  }

  @Override
  public void close() {
    PluginContext.run(yarn::close);
  }
}
