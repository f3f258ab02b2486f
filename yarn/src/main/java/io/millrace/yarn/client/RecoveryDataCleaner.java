package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.control.ha.Coordinators;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationReport;

/**
 * Finds recovery data of applications that YARN has killed or given up, in {@code
 * high-availability.storageDir}. Such data has jobs that have not ended: a JobManager that ends in
 * order removes it.
 */
final class RecoveryDataCleaner {
  private static final String KIND = "recovery data";

  /** A JobManager changes files at most this deep in its directory. */
  private static final int DEPTH = 3;

  private final YarnResourceManagerClient yarn;
  private final HadoopContext hadoop;
  private final Configuration configuration;

  RecoveryDataCleaner(
      YarnResourceManagerClient yarn, HadoopContext hadoop, Configuration configuration) {
    this.yarn = yarn;
    this.hadoop = hadoop;
    this.configuration = configuration;
  }

  List<CleanupFinding> clean(CleanupRequest request) {
    Optional<String> storage =
        ApplicationRequirements.text(configuration, HighAvailabilityOptions.HA_STORAGE_PATH);
    List<CleanupFinding> findings = new ArrayList<>();
    // A coordination service knows its clusters, and `cleanup` asks it.
    if (storage.isEmpty() || Coordinators.isConfigured(configuration)) {
      return findings;
    }
    try {
      Path directory = new Path(storage.get());
      FileSystem files = directory.getFileSystem(hadoop.settings());
      for (FileStatus entry : files.listStatus(directory)) {
        Optional<ApplicationId> id = StagingCleaner.parsed(entry.getPath().getName());
        if (entry.isDirectory() && id.isPresent()) {
          findings.add(clean(files, entry, id.get(), request));
        }
      }
    } catch (FileNotFoundException e) {
      // No cluster with high availability has used it.
      return findings;
    } catch (IOException e) {
      findings.add(
          new CleanupFinding(
              CleanupFinding.Verdict.FAILED, KIND, storage.get(), Failure.sentence(e)));
    }
    return findings;
  }

  private CleanupFinding clean(
      FileSystem files, FileStatus directory, ApplicationId id, CleanupRequest request) {
    String where = directory.getPath().toString();
    try {
      Optional<ApplicationReport> known = yarn.report(id);
      if (known.isEmpty()) {
        return CleanupFinding.kept(
            KIND, where, "YARN does not know its application, which may belong to another YARN");
      }
      String state = "its application is " + known.get().getYarnApplicationState();
      if (!YarnApplication.isOver(known.get())) {
        return CleanupFinding.kept(KIND, where, state);
      }
      if (request.isRecent(lastTouched(files, directory, DEPTH))) {
        return CleanupFinding.kept(
            KIND, where, state + ", but it changed within --older-than, so another may use it");
      }
      if (!request.withJobs()) {
        return CleanupFinding.kept(
            KIND,
            where,
            state
                + " with jobs that have not ended; a JobManager with this "
                + HighAvailabilityOptions.HA_CLUSTER_ID.key()
                + " would recover them. --with-jobs removes it nevertheless");
      }
      return request.remove(KIND, where, state, () -> files.delete(directory.getPath(), true));
    } catch (IOException | MillraceException e) {
      return new CleanupFinding(CleanupFinding.Verdict.FAILED, KIND, where, Failure.sentence(e));
    }
  }

  private static Instant lastTouched(FileSystem files, FileStatus directory, int depth)
      throws IOException {
    Instant latest = Instant.ofEpochMilli(directory.getModificationTime());
    for (FileStatus entry : files.listStatus(directory.getPath())) {
      Instant touched =
          entry.isDirectory() && depth > 1
              ? lastTouched(files, entry, depth - 1)
              : Instant.ofEpochMilli(entry.getModificationTime());
      latest = touched.isAfter(latest) ? touched : latest;
    }
    return latest;
  }
}
