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
 * The jobs in some directories. A line about each is in memory; their pages are read when they are
 * asked for, those of the last job are remembered. Whoever refreshes does so from one thread at a
 * time; any number may ask meanwhile.
 */
final class HistoryJobs {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryJobs.class);

  private final FileSystems files;
  private final List<FilePath> directories;
  private final int retained;

  /** Files and directories that were complained of, each as it was then. */
  private final Set<String> complaints = new LinkedHashSet<>();

  private volatile Map<JobId, Known> jobs = new LinkedHashMap<>();
  private volatile Optional<Loaded> last = Optional.empty();

  private record Known(FilePath directory, FileStatus file, JsonObject overview, long endedAt) {}

  private record Loaded(FileStatus file, Map<String, String> pages) {}

  HistoryJobs(FileSystems files, HistorySettings settings) {
    this.files = files;
    this.directories = settings.directories();
    this.retained = settings.retained();
  }

  /** Lines about all of them, those that ended last first. */
  List<JsonObject> overviews() {
    return jobs.values().stream().map(Known::overview).toList();
  }

  /** An answer about a job, or nothing where there is no such job or no such answer. Blocks. */
  Optional<String> page(JobId job, String path) throws IOException {
    Known known = jobs.get(job);
    if (known == null) {
      return Optional.empty();
    }
    Loaded loaded = last.filter(one -> one.file().equals(known.file())).orElse(null);
    if (loaded == null) {
      loaded =
          new Loaded(
              known.file(),
              HistoryFile.read(files.of(known.file().path()), known.file(), job).pages());
      last = Optional.of(loaded);
    }
    return Optional.ofNullable(loaded.pages().get(path));
  }

  boolean knows(JobId job) {
    return jobs.containsKey(job);
  }

  /** Looks into the directories. A file that was seen before is not read again. Blocks. */
  void refresh() {
    Map<JobId, Known> found = new LinkedHashMap<>();
    for (FilePath directory : directories) {
      List<Map.Entry<JobId, Known>> here = look(directory);
      here.sort(newestFirst());
      if (retained > 0 && here.size() > retained) {
        List<Map.Entry<JobId, Known>> old = here.subList(retained, here.size());
        old.forEach(entry -> delete(entry.getValue().file().path()));
        old.clear();
      }
      // The same job in two directories is shown once.
      here.forEach(entry -> found.putIfAbsent(entry.getKey(), entry.getValue()));
    }
    List<Map.Entry<JobId, Known>> all = new ArrayList<>(found.entrySet());
    all.sort(newestFirst());
    Map<JobId, Known> sorted = new LinkedHashMap<>();
    all.forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    if (!sorted.keySet().equals(jobs.keySet())) {
      LOG.info("{} ended jobs are shown", sorted.size());
    }
    jobs = Collections.unmodifiableMap(sorted);
  }

  private static Comparator<Map.Entry<JobId, Known>> newestFirst() {
    return Comparator.<Map.Entry<JobId, Known>>comparingLong(entry -> entry.getValue().endedAt())
        .reversed()
        .thenComparing(Map.Entry::getKey);
  }

  private List<Map.Entry<JobId, Known>> look(FilePath directory) {
    List<Map.Entry<JobId, Known>> here = new ArrayList<>();
    try {
      FileSystem from = files.of(directory);
      for (FileStatus file : from.list(directory)) {
        Optional<JobId> job = job(file.path().name());
        if (job.isPresent() && !file.isDirectory()) {
          read(from, directory, file, job.get())
              .ifPresent(known -> here.add(Map.entry(job.get(), known)));
        }
      }
      complaints.remove(directory.toString());
    } catch (IOException | MillraceException e) {
      complain(directory.toString(), directory + " cannot be listed: " + Failure.sentence(e));
      // What it held may still be read, or be there again in a moment.
      jobs.forEach(
          (job, known) -> {
            if (known.directory().equals(directory)) {
              here.add(Map.entry(job, known));
            }
          });
    }
    return here;
  }

  private Optional<Known> read(FileSystem from, FilePath directory, FileStatus file, JobId job) {
    Known before = jobs.get(job);
    if (before != null && before.file().equals(file)) {
      return Optional.of(before);
    }
    String version = file.path() + " " + file.length();
    if (complaints.contains(version)) {
      return Optional.empty();
    }
    try {
      HistoryFile content = HistoryFile.read(from, file, job);
      return Optional.of(new Known(directory, file, content.overview(), content.endedAt()));
    } catch (IOException e) {
      complain(version, file.path() + " is passed over: " + Failure.sentence(e));
      return Optional.empty();
    }
  }

  private void complain(String about, String sentence) {
    if (complaints.add(about)) {
      LOG.warn("{}", sentence);
    }
  }

  private void delete(FilePath file) {
    try {
      files.of(file).delete(file);
      LOG.info("{} is deleted for newer jobs", file);
    } catch (IOException e) {
      complain(file + " stays", file + " cannot be deleted: " + Failure.sentence(e));
    }
  }

  /** Drafts and what belongs to somebody else have other names. */
  private static Optional<JobId> job(String name) {
    try {
      return Optional.of(JobId.parse(name));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
