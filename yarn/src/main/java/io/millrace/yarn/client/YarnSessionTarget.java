package io.millrace.yarn.client;

import io.millrace.client.ClusterClient;
import io.millrace.client.Progress;
import io.millrace.client.Session;
import io.millrace.client.SessionTarget;
import io.millrace.client.Target;
import io.millrace.core.config.ClientOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The target {@code yarn-session}: a cluster that accepts jobs of any client until it is stopped.
 * {@code yarn.application.id} names it, or the session file that the last start has written.
 */
public final class YarnSessionTarget implements Target, SessionTarget {
  @Override
  public String name() {
    return DeploymentMode.SESSION.target();
  }

  @Override
  public boolean outlivesClient() {
    return true;
  }

  @Override
  public boolean startsCluster() {
    return false;
  }

  @Override
  public ClusterClient open(Configuration configuration) {
    return client(configuration, connect(configuration));
  }

  private static YarnClusterClient client(Configuration configuration, YarnConnection connection) {
    return new YarnClusterClient(
        application(configuration, connection),
        configuration.get(ClientOptions.CLIENT_TIMEOUT),
        connection::close);
  }

  private static YarnConnection connect(Configuration configuration) {
    YarnConnection connection = YarnConnection.open(configuration, System.getenv());
    connection.cleanInBackground();
    return connection;
  }

  @Override
  public ClusterClient open(Configuration configuration, Progress progress) {
    YarnClusterClient client = client(configuration, connect(configuration));
    progress.report("Using the session " + client.application().id() + " on YARN");
    return client;
  }

  @Override
  public Session start(Configuration configuration, Progress progress) {
    YarnSessionFile file = file(configuration);
    file.prepare();
    YarnConnection connection = YarnConnection.openForDeployment(configuration, System.getenv());
    YarnApplication application =
        connection.deploy(
            DeploymentSpec.ofSession(configuration),
            EngineArchive.ofThisProcess(progress),
            progress);
    file.write(application.id());
    return new YarnSession(application, file, configuration.get(ClientOptions.CLIENT_TIMEOUT));
  }

  @Override
  public Configuration naming(Configuration configuration, String id) {
    return configuration.with(YarnOptions.APPLICATION_ID, YarnOptions.APPLICATION_ID.parse(id));
  }

  @Override
  public Session find(Configuration configuration) {
    return new YarnSession(
        application(configuration, connect(configuration)),
        file(configuration),
        configuration.get(ClientOptions.CLIENT_TIMEOUT));
  }

  @Override
  public List<Session> list(Configuration configuration, boolean allUsers) {
    try (YarnConnection connection = connect(configuration)) {
      return connection.running(DeploymentMode.SESSION, allUsers).stream()
          .sorted(
              Comparator.comparingLong(
                      (YarnApplication application) -> application.report().getStartTime())
                  .reversed())
          .map(
              application ->
                  (Session)
                      new YarnSession(
                          application,
                          file(configuration),
                          configuration.get(ClientOptions.CLIENT_TIMEOUT)))
          .toList();
    }
  }

  private static YarnSessionFile file(Configuration configuration) {
    return YarnSessionFile.of(configuration, System.getenv());
  }

  private static YarnApplication application(
      Configuration configuration, YarnConnection connection) {
    YarnSessionFile file = file(configuration);
    Optional<String> named =
        ApplicationRequirements.text(configuration, YarnOptions.APPLICATION_ID);
    String id =
        named
            .or(file::application)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "The command names no session on YARN. Name one with -yid or "
                            + YarnOptions.APPLICATION_ID.key()
                            + ", or start one with `millrace session start -t yarn-session`."));
    YarnApplication application = connection.find(id).orElseThrow(() -> unknown(id, file));
    if (application.end().isPresent()) {
      throw gone(id, file, "it has ended (" + application.end().get().status() + ")");
    }
    return application;
  }

  /** The file stays, because another YARN may have the application. */
  private static MillraceException unknown(String id, YarnSessionFile file) {
    boolean current = file.application().filter(id::equals).isPresent();
    return new MillraceException(
        ErrorKind.USER,
        "The YARN that HADOOP_CONF_DIR names knows no application "
            + id
            + (current ? ", which " + file.path() + " has for the current session" : "")
            + ". If it is on another YARN, set HADOOP_CONF_DIR to the configuration of that YARN"
            + (current ? "; if it has ended, remove the file." : ".")
            + " `millrace session list` shows those that run.");
  }

  private static MillraceException gone(String id, YarnSessionFile file, String why) {
    boolean current = file.application().filter(id::equals).isPresent();
    file.forget(id);
    return new MillraceException(
        ErrorKind.USER,
        "There is no cluster "
            + id
            + " on YARN: "
            + why
            + "."
            + (current
                ? " It was the current session, and is no longer: " + file.path() + " was removed."
                : "")
            + " `millrace session list` shows those that run.");
  }
}
