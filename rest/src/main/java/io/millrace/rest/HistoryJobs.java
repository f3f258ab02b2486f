package io.millrace.rest;

import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ended jobs in some directories. The overview of each job is in memory. Other responses are
 * read from its file on request; those of the last job are cached. {@link #refresh} is called by
 * one thread at a time; the other methods may be called concurrently.
 */
final class HistoryJobs {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryJobs.class);

  private final FileSystems files;
  private final List<FilePath> directories;
  private final int retained;

  /** Files and directories that were warned about, each with the version that was warned about. */
  private final Set<String> warned = new LinkedHashSet<>();

  private volatile Map<JobId, Entry> jobs = new LinkedHashMap<>();
  private volatile Optional<CachedResponses> cached = Optional.empty();

  private record Entry(FilePath directory, FileStatus file, JsonObject overview, long endedAt) {}

  private record CachedResponses(FileStatus file, Map<String, String> byPath) {}

  HistoryJobs(FileSystems files, HistorySettings settings) {
    this.files = files;
    this.directories = settings.directories();
    this.retained = settings.retained();
  }

  /** The overviews of all jobs, the job that ended last first. */
  List<JsonObject> overviews() {
    return jobs.values().stream().map(Entry::overview).toList();
  }

  /** The response about a job, or empty if there is no such job or no such response. Blocks. */
  Optional<String> response(JobId job, String path) throws IOException {
    Entry known = jobs.get(job);
    if (known == null) {
      return Optional.empty();
    }
    CachedResponses responses =
        cached.filter(entry -> entry.file().equals(known.file())).orElse(null);
    if (responses == null) {
      responses =
          new CachedResponses(
              known.file(),
              HistoryFile.read(files.of(known.file().path()), known.file(), job).responses());
      cached = Optional.of(responses);
    }
    return Optional.ofNullable(responses.byPath().get(path));
  }

  boolean contains(JobId job) {
    return jobs.containsKey(job);
  }

  /** Lists the directories. A file that did not change is not read again. Blocks. */
  void refresh() {
    Map<JobId, Entry> found = new LinkedHashMap<>();
    for (FilePath directory : directories) {
      List<Map.Entry<JobId, Entry>> here = list(directory);
      here.sort(newestFirst());
      if (retained > 0 && here.size() > retained) {
        List<Map.Entry<JobId, Entry>> old = here.subList(retained, here.size());
        old.forEach(entry -> delete(entry.getValue().file().path()));
        old.clear();
      }
      // The same job in two directories is shown once.
      here.forEach(entry -> found.putIfAbsent(entry.getKey(), entry.getValue()));
    }
    List<Map.Entry<JobId, Entry>> all = new ArrayList<>(found.entrySet());
    all.sort(newestFirst());
    Map<JobId, Entry> sorted = new LinkedHashMap<>();
    all.forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    if (!sorted.keySet().equals(jobs.keySet())) {
      LOG.info("{} ended jobs are shown", sorted.size());
    }
    jobs = Collections.unmodifiableMap(sorted);
  }

  private static Comparator<Map.Entry<JobId, Entry>> newestFirst() {
    return Comparator.<Map.Entry<JobId, Entry>>comparingLong(entry -> entry.getValue().endedAt())
        .reversed()
        .thenComparing(Map.Entry::getKey);
  }

  private List<Map.Entry<JobId, Entry>> list(FilePath directory) {
    List<Map.Entry<JobId, Entry>> here = new ArrayList<>();
    try {
      FileSystem from = files.of(directory);
      for (FileStatus file : from.list(directory)) {
        Optional<JobId> job = job(file.path().name());
        if (job.isPresent() && !file.isDirectory()) {
          read(from, directory, file, job.get())
              .ifPresent(known -> here.add(Map.entry(job.get(), known)));
        }
      }
      warned.remove(directory.toString());
    } catch (IOException | MillraceException e) {
      warnOnce(directory.toString(), directory + " cannot be listed: " + Failure.sentence(e));
      // The jobs stay visible: files may still be readable, or the directory be back soon.
      jobs.forEach(
          (job, known) -> {
            if (known.directory().equals(directory)) {
              here.add(Map.entry(job, known));
            }
          });
    }
    return here;
  }

  private Optional<Entry> read(FileSystem from, FilePath directory, FileStatus file, JobId job) {
    Entry before = jobs.get(job);
    if (before != null && before.file().equals(file)) {
      return Optional.of(before);
    }
    String version = file.path() + " " + file.length();
    if (warned.contains(version)) {
      return Optional.empty();
    }
    try {
      HistoryFile content = HistoryFile.read(from, file, job);
      return Optional.of(new Entry(directory, file, content.overview(), content.endedAt()));
    } catch (IOException e) {
      warnOnce(version, file.path() + " is ignored: " + Failure.sentence(e));
      return Optional.empty();
    }
  }

  private void warnOnce(String about, String sentence) {
    if (warned.add(about)) {
      LOG.warn("{}", sentence);
    }
  }

  private void delete(FilePath file) {
    try {
      files.of(file).delete(file);
      LOG.info("{} is deleted because the directory holds more recent jobs", file);
    } catch (IOException e) {
      warnOnce(file + " stays", file + " cannot be deleted: " + Failure.sentence(e));
    }
  }

  /** Temporary files and files of other programs do not have the name of a job id. */
  private static Optional<JobId> job(String name) {
    try {
      return Optional.of(JobId.parse(name));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
