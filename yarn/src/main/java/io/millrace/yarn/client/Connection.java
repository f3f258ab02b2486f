package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.YarnOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;

/** A client's way to YARN, Hadoop's settings and login included. */
final class Connection implements AutoCloseable {
  private final Configuration configuration;
  private final HadoopAccess hadoop;
  private final Yarn yarn;
  private final LocalTokens tokens;

  private Connection(
      Configuration configuration, HadoopAccess hadoop, Yarn yarn, LocalTokens tokens) {
    this.configuration = configuration;
    this.hadoop = hadoop;
    this.yarn = yarn;
    this.tokens = tokens;
  }

  static Connection open(Configuration configuration, Map<String, String> environment) {
    return Plugin.call(
        () -> {
          HadoopAccess hadoop = HadoopAccess.of(configuration, environment);
          return new Connection(
              configuration,
              hadoop,
              Yarn.of(hadoop.settings()),
              LocalTokens.of(configuration, environment));
        });
  }

  YarnApplication deploy(ClusterPlan plan, Engine engine, Progress progress) {
    return Plugin.call(() -> new Deployer(hadoop, yarn, engine, tokens, progress).deploy(plan));
  }

  /** One that YARN knows; it may have ended. */
  Optional<YarnApplication> find(String text) {
    return Plugin.call(
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
        yarn, id, Staging.of(configuration, hadoop.settings(), id.toString()), tokens, report);
  }

  /** Clusters of a mode that run or are about to. */
  List<YarnApplication> running(Mode mode) {
    return Plugin.call(() -> yarn.running(mode.tag()).stream().map(this::application).toList());
  }

  @Override
  public void close() {
    Plugin.run(yarn::close);
  }
}
