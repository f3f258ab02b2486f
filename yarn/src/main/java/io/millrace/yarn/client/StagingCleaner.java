package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
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
 * Removes files that killed clients and JobManagers of this user have left: staged files of
 * applications that have ended or were never submitted, and tokens. Runs with later commands, and
 * for `millrace cleanup`.
 */
final class StagingCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(StagingCleaner.class);

  /** Another client may be about to submit an application that YARN does not know yet. */
  private static final Duration STAGING_AGE = Duration.ofHours(1);

  private static final Duration TOKEN_AGE = Duration.ofDays(7);

  /** A command must not send hundreds of queries to YARN. */
  private static final int MAX_APPLICATIONS = 20;

  private static final String KIND = "YARN files";

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
   * Runs in a thread, while the client does something else.
   *
   * @param own the application that is being submitted
   */
  Thread removeInBackground(Optional<ApplicationId> own) {
    Thread thread = new Thread(() -> PluginContext.run(() -> remove(own)), "staging-cleaner");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  void remove(Optional<ApplicationId> own) {
    try {
      Set<String> names = new LinkedHashSet<>(any().siblings());
      names.addAll(tokens.applications());
      own.ifPresent(id -> names.remove(id.toString()));
      List<ApplicationId> candidates = new ArrayList<>();
      names.forEach(name -> parsed(name).ifPresent(candidates::add));
      // In random order: otherwise applications that stay could exclude the others for ever.
      Collections.shuffle(candidates);
      candidates.stream().limit(MAX_APPLICATIONS).forEach(id -> removeUnlessUsed(id, own));
    } catch (IOException | MillraceException e) {
      // Not an error of this command; a later one tries again.
      LOG.info("Files of earlier applications are not removed now: {}", e.toString());
    }
  }

  /** Looks at all applications, not only at some. */
  List<CleanupFinding> clean(CleanupRequest request) {
    StagingDirectory any = any();
    Set<String> names = new LinkedHashSet<>();
    try {
      names.addAll(any.siblings());
      names.addAll(tokens.applications());
    } catch (IOException e) {
      throw any.failed("list", e);
    }
    List<CleanupFinding> findings = new ArrayList<>();
    for (String name : names) {
      Optional<ApplicationId> id = parsed(name);
      if (id.isPresent()) {
        findings.add(clean(id.get(), request));
      }
    }
    return findings;
  }

  private CleanupFinding clean(ApplicationId id, CleanupRequest request) {
    StagingDirectory staging = staging(id.toString());
    String where = staging.directory().toString();
    try {
      Optional<ApplicationReport> known = yarn.report(id);
      if (known.isEmpty() && !staging.isUnsubmitted()) {
        return CleanupFinding.kept(
            KIND, where, "YARN does not know its application, which may belong to another YARN");
      }
      if (known.isEmpty() && request.isRecent(staging.lastTouched())) {
        return CleanupFinding.kept(
            KIND, where, "its application was not submitted yet, which may be about to happen");
      }
      if (known.isPresent() && !YarnApplication.isOver(known.get())) {
        return CleanupFinding.kept(
            KIND, where, "its application is " + known.get().getYarnApplicationState());
      }
      return request.remove(
          KIND,
          where,
          known
              .map(report -> "its application is " + report.getYarnApplicationState())
              .orElse("its application was never submitted"),
          () -> {
            tokens.forget(id.toString());
            staging.remove();
            return true;
          });
    } catch (IOException | MillraceException e) {
      return new CleanupFinding(CleanupFinding.Verdict.FAILED, KIND, where, Failure.sentence(e));
    }
  }

  private void removeUnlessUsed(ApplicationId id, Optional<ApplicationId> own) {
    try {
      Optional<ApplicationReport> known = yarn.report(id);
      if (known.isPresent()) {
        new YarnApplication(yarn, id, staging(id.toString()), tokens, known.get())
            .end()
            .ifPresent(end -> LOG.info("Removed the files of application {}", id));
      } else {
        removeUnknown(id, own);
      }
    } catch (IOException | MillraceException e) {
      LOG.info("Files of application {} are not removed now: {}", id, e.toString());
    }
  }

  /** YARN has forgotten the application, never knew it, or another YARN has it. */
  private void removeUnknown(ApplicationId id, Optional<ApplicationId> own) throws IOException {
    StagingDirectory staging = staging(id.toString());
    boolean sameYarn =
        own.filter(other -> other.getClusterTimestamp() == id.getClusterTimestamp()).isPresent();
    Instant now = Instant.now();
    if ((sameYarn || staging.isUnsubmitted())
        && staging.lastTouched().isBefore(now.minus(STAGING_AGE))) {
      tokens.forget(id.toString());
      staging.remove();
      LOG.info("Removed the files of application {}, which YARN does not know", id);
    } else if (tokens.lastTouched(id.toString()).isBefore(now.minus(TOKEN_AGE))) {
      // The directory of the application has another copy.
      tokens.forget(id.toString());
    }
  }

  /** It names no application, but has the parent of all. */
  private StagingDirectory any() {
    return staging("none");
  }

  private StagingDirectory staging(String application) {
    return StagingDirectory.of(configuration, hadoop.settings(), application);
  }

  static Optional<ApplicationId> parsed(String name) {
    try {
      return Optional.of(ApplicationId.fromString(name));
    } catch (IllegalArgumentException e) {
      // A file of the user.
      return Optional.empty();
    }
  }
}
