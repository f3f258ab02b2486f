package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients and JobManagers of this user left behind because they were killed: staged files of
 * applications that have ended or were never submitted, and tokens. Later submissions remove it.
 */
final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  /** Another client may be about to submit what YARN does not know yet. */
  private static final Duration UNTOUCHED = Duration.ofHours(1);

  /** A submission is not the time to ask YARN about hundreds. */
  private static final int AT_ONCE = 20;

  private final Yarn yarn;
  private final HadoopAccess hadoop;
  private final Configuration configuration;
  private final LocalTokens tokens;

  Leftovers(Yarn yarn, HadoopAccess hadoop, Configuration configuration, LocalTokens tokens) {
    this.yarn = yarn;
    this.hadoop = hadoop;
    this.configuration = configuration;
    this.tokens = tokens;
  }

  /**
   * While the client waits anyway.
   *
   * @param own the application that is being submitted
   */
  void removeBeside(ApplicationId own) {
    Thread thread = new Thread(() -> Plugin.run(() -> remove(own)), "remove-leftovers");
    thread.setDaemon(true);
    thread.start();
  }

  void remove(ApplicationId own) {
    try {
      Set<String> names = new LinkedHashSet<>(staging(own.toString()).siblings());
      names.addAll(tokens.applications());
      names.remove(own.toString());
      int asked = 0;
      for (String name : names) {
        Optional<ApplicationId> id = parsed(name);
        if (id.isPresent() && asked++ < AT_ONCE) {
          removeUnlessUsed(id.get(), own);
        }
      }
    } catch (IOException | MillraceException e) {
      // Nobody asked for it, and another submission comes by.
      LOG.info("What earlier applications may have left behind stays for now: {}", e.toString());
    }
  }

  private void removeUnlessUsed(ApplicationId id, ApplicationId own) throws IOException {
    Optional<ApplicationReport> known = yarn.report(id);
    Staging staging = staging(id.toString());
    if (known.isPresent()) {
      new YarnApplication(yarn, id, staging, tokens, known.get())
          .end()
          .ifPresent(end -> LOG.info("Removed what application {} left behind", id));
    } else if (id.getClusterTimestamp() == own.getClusterTimestamp()
        && staging.lastTouched().isBefore(Instant.now().minus(UNTOUCHED))) {
      // One of another YARN with the same file system would not be known here either.
      tokens.forget(id.toString());
      staging.remove();
      LOG.info("Removed what application {} left behind, which was never submitted", id);
    }
  }

  private Staging staging(String application) {
    return Staging.of(configuration, hadoop.settings(), application);
  }

  private static Optional<ApplicationId> parsed(String name) {
    try {
      return Optional.of(ApplicationId.fromString(name));
    } catch (IllegalArgumentException e) {
      // Somebody's own file.
      return Optional.empty();
    }
  }
}
