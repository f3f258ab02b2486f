package io.millrace.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.YarnOptions;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code -m yarn-cluster}, {@code -yid} and whatever begins with y, or the file that a session on
 * YARN left for its user.
 */
final class YarnStyle implements CommandLineStyle {
  static final String PER_JOB = "yarn-per-job";
  static final String SESSION = "yarn-session";

  /** How names of all targets on YARN begin. */
  static final String PREFIX = "yarn-";

  @Override
  public boolean isActive(TargetRequest request) {
    return request.yarn().areSaid()
        || (request.yarn().session().isPresent() && request.address().isEmpty());
  }

  @Override
  public Optional<String> needs() {
    return Optional.of(PER_JOB);
  }

  @Override
  public Configuration decide(TargetRequest request, Consumer<String> warnings) {
    YarnWords said = request.yarn();
    request
        .address()
        .ifPresent(
            address ->
                warnings.accept(
                    "-m " + address + " is ignored: options that begin with -y ask for YARN."));
    if (said.application().isPresent()) {
      return session(request.configuration(), said.application().get());
    }
    return said.areSaid()
        ? request.configuration().with(DeploymentOptions.TARGET, PER_JOB)
        : session(request.configuration(), said.session().orElseThrow());
  }

  private static Configuration session(Configuration configuration, String application) {
    return configuration
        .with(DeploymentOptions.TARGET, SESSION)
        .with(YarnOptions.APPLICATION_ID, application);
  }
}
