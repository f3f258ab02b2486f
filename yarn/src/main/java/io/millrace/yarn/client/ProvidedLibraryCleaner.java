package io.millrace.yarn.client;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupRequest;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.Failure;
import io.millrace.yarn.YarnOptions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationReport;

/**
 * Finds old archives of the engine in the directories for all applications. Applications of this
 * YARN name the archive that they use in a tag; those of another YARN are not known.
 */
final class ProvidedLibraryCleaner {
  private static final String KIND = "YARN libraries";

  /** An upload that was not completed. */
  private static final Pattern DRAFT = Pattern.compile("\\.(millrace-.+\\.tar)\\.[0-9a-f]{16}");

  private final YarnResourceManagerClient yarn;
  private final HadoopContext hadoop;
  private final Configuration configuration;

  ProvidedLibraryCleaner(
      YarnResourceManagerClient yarn, HadoopContext hadoop, Configuration configuration) {
    this.yarn = yarn;
    this.hadoop = hadoop;
    this.configuration = configuration;
  }

  List<CleanupFinding> clean(CleanupRequest request) {
    List<CleanupFinding> findings = new ArrayList<>();
    for (String directory : configuration.get(YarnOptions.PROVIDED_LIB_DIRS)) {
      try {
        findings.addAll(clean(new Path(directory), request));
      } catch (IOException e) {
        findings.add(
            new CleanupFinding(
                CleanupFinding.Verdict.FAILED, KIND, directory, Failure.sentence(e)));
      }
    }
    return findings;
  }

  /** Nothing if there is no such directory: the first submission creates it. */
  private static FileStatus[] content(FileSystem files, Path directory) throws IOException {
    try {
      return files.listStatus(directory);
    } catch (FileNotFoundException e) {
      return new FileStatus[0];
    }
  }

  private List<CleanupFinding> clean(Path directory, CleanupRequest request) throws IOException {
    FileSystem files = directory.getFileSystem(hadoop.settings());
    List<FileStatus> archives = new ArrayList<>();
    List<CleanupFinding> findings = new ArrayList<>();
    for (FileStatus file : content(files, directory)) {
      String name = file.getPath().getName();
      if (file.isFile() && EngineArchive.hash(name).isPresent()) {
        archives.add(file);
      } else if (file.isFile() && DRAFT.matcher(name).matches() && !isRecent(file, request)) {
        findings.add(remove(files, file, request, "its upload was not completed"));
      }
    }
    archives.sort(Comparator.comparingLong(FileStatus::getModificationTime).reversed());
    // Asked after the listing: an application that comes later uses the newest archive or a recent
    // one.
    Map<String, String> users = archives.isEmpty() ? Map.of() : users();
    for (int i = 0; i < archives.size(); i++) {
      FileStatus archive = archives.get(i);
      String where = archive.getPath().toString();
      Optional<String> needed = whyNeeded(archive, i == 0, users, request);
      findings.add(
          needed.isPresent()
              ? CleanupFinding.kept(KIND, where, needed.get())
              : remove(files, archive, request, "no application of this YARN uses it"));
    }
    return findings;
  }

  private static Optional<String> whyNeeded(
      FileStatus archive, boolean newest, Map<String, String> users, CleanupRequest request) {
    String user = users.get(ProvidedLibraries.tag(archive.getPath().getName()));
    if (user != null) {
      return Optional.of("application " + user + " uses it");
    }
    if (newest) {
      return Optional.of("it is the newest, and the next application may use it");
    }
    if (isRecent(archive, request)) {
      return Optional.of("it was used within --older-than");
    }
    return request.unreferenced()
        ? Optional.empty()
        : Optional.of(
            "no application of this YARN uses it, but one of another YARN may. --unreferenced"
                + " removes it");
  }

  private static boolean isRecent(FileStatus file, CleanupRequest request) {
    return request.isRecent(
        Instant.ofEpochMilli(Math.max(file.getModificationTime(), file.getAccessTime())));
  }

  private static CleanupFinding remove(
      FileSystem files, FileStatus file, CleanupRequest request, String why) {
    return request.remove(
        KIND, file.getPath().toString(), why, () -> files.delete(file.getPath(), false));
  }

  /** The applications of all users that have not ended, by their tags. */
  private Map<String, String> users() {
    Map<String, String> users = new LinkedHashMap<>();
    for (DeploymentMode mode : DeploymentMode.values()) {
      for (ApplicationReport report : yarn.running(mode.tag())) {
        report
            .getApplicationTags()
            .forEach(tag -> users.put(tag, report.getApplicationId().toString()));
      }
    }
    return users;
  }
}
