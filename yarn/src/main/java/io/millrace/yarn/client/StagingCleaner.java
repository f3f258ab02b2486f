package io.millrace.yarn.client;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
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
final class StagingCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(StagingCleaner.class);

  /** Another client may be about to submit what YARN does not know yet. */
  private static final Duration UNTOUCHED = Duration.ofHours(1);

  private static final Duration UNUSED = Duration.ofDays(7);

  /** A submission is not the time to ask YARN about hundreds. */
  private static final int AT_ONCE = 20;

  private final YarnResourceManagerClient yarn;
  private final HadoopContext hadoop;
  private final Configuration configuration;
  private final RestTokenStore tokens;

  StagingCleaner(
      YarnResourceManagerClient yarn,
      HadoopContext hadoop,
      Configuration configuration,
      RestTokenStore tokens) {
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
    Thread thread = new Thread(() -> PluginContext.run(() -> remove(own)), "staging-cleaner");
    thread.setDaemon(true);
    thread.start();
  }

  void remove(ApplicationId own) {
    try {
      Set<String> names = new LinkedHashSet<>(staging(own.toString()).siblings());
      names.addAll(tokens.applications());
      names.remove(own.toString());
      List<ApplicationId> some = new ArrayList<>();
      names.forEach(name -> parsed(name).ifPresent(some::add));
      // Others another time, or those that are to stay would keep the rest from their turn.
      Collections.shuffle(some);
      some.stream().limit(AT_ONCE).forEach(id -> removeUnlessUsed(id, own));
    } catch (IOException | MillraceException e) {
      // Nobody asked for it, and another submission comes by.
      LOG.info("What earlier applications may have left behind stays for now: {}", e.toString());
    }
  }

  private void removeUnlessUsed(ApplicationId id, ApplicationId own) {
    try {
      Optional<ApplicationReport> known = yarn.report(id);
      if (known.isPresent()) {
        new YarnApplication(yarn, id, staging(id.toString()), tokens, known.get())
            .end()
            .ifPresent(end -> LOG.info("Removed what application {} left behind", id));
      } else {
        removeUnknown(id, own);
      }
    } catch (IOException | MillraceException e) {
      LOG.info("What application {} left behind stays for now: {}", id, e.toString());
    }
  }

  /** YARN has forgotten it, or never knew it; or another YARN with the same file system does. */
  private void removeUnknown(ApplicationId id, ApplicationId own) throws IOException {
    StagingDirectory staging = staging(id.toString());
    boolean ours = id.getClusterTimestamp() == own.getClusterTimestamp();
    Instant now = Instant.now();
    if ((ours || staging.isUnsubmitted()) && staging.lastTouched().isBefore(now.minus(UNTOUCHED))) {
      tokens.forget(id.toString());
      staging.remove();
      LOG.info("Removed what application {} left behind, which YARN does not know", id);
    } else if (tokens.lastTouched(id.toString()).isBefore(now.minus(UNUSED))) {
      // Whoever needs it finds another in the application's directory.
      tokens.forget(id.toString());
    }
  }

  private StagingDirectory staging(String application) {
    return StagingDirectory.of(configuration, hadoop.settings(), application);
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
