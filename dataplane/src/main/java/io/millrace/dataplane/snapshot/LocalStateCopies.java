package io.millrace.dataplane.snapshot;

import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.JobId;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of state files on the disk of this process, which its tasks are restored from. A copy has
 * the name of its file, which is unique. A copy that cannot be written is left out. The copies of a
 * checkpoint are deleted when a later one is complete. Thread-safe. Methods may block, except for
 * {@link #enable} and {@link #disable}.
 */
public final class LocalStateCopies {
  private static final Logger LOG = LoggerFactory.getLogger(LocalStateCopies.class);
  private static final int BUFFER = 1 << 16;

  private static final class JobCopies {
    private final String directoryName;

    /** Null before the first copy. */
    private Path directory;

    /** The names of the copies that a checkpoint needs. */
    private final TreeMap<Long, Set<String>> names = new TreeMap<>();

    JobCopies(String directoryName) {
      this.directoryName = directoryName;
    }
  }

  private final Supplier<Path> parent;
  private final Map<JobId, JobCopies> jobs = new LinkedHashMap<>();
  private long directories;

  /**
   * @param parent an existing local directory; asked for with the first copy
   */
  public LocalStateCopies(Supplier<Path> parent) {
    this.parent = parent;
  }

  /** Keeps copies for a job from now on. */
  public synchronized void enable(JobId job) {
    if (!jobs.containsKey(job)) {
      // A number of its own: the directory of an earlier run of the job may be about to be deleted.
      jobs.put(job, new JobCopies("copies-" + directories++));
    }
  }

  /** Takes the copies of a checkpoint; empty if the job has none. */
  synchronized Optional<CheckpointCopies> of(JobId job, long checkpoint) {
    return Optional.ofNullable(jobs.get(job))
        .map(
            copies -> {
              copies.names.putIfAbsent(checkpoint, new LinkedHashSet<>());
              return new CheckpointCopies(job, copies, checkpoint);
            });
  }

  /** Where tasks of a job read state files. */
  public StateFileSource source(JobId job, FileSystems storage) {
    return new StateFileSource(storage, name -> find(job, name));
  }

  private synchronized Optional<Path> find(JobId job, String name) {
    JobCopies copies = jobs.get(job);
    return copies == null || copies.directory == null
        ? Optional.empty()
        : Optional.of(copies.directory.resolve(name)).filter(Files::exists);
  }

  /**
   * Deletes the copies that are needed by earlier checkpoints only. Tasks do not go back to a
   * savepoint, which has no copies.
   */
  synchronized void completed(JobId job, long checkpoint) {
    JobCopies copies = jobs.get(job);
    if (copies != null && copies.names.containsKey(checkpoint)) {
      Map<Long, Set<String>> earlier = copies.names.headMap(checkpoint);
      List<String> names = earlier.values().stream().flatMap(Set::stream).distinct().toList();
      earlier.clear();
      deleteUnused(copies, names);
    }
  }

  /** Deletes the copies of a checkpoint that will not complete. */
  synchronized void aborted(JobId job, long checkpoint) {
    JobCopies copies = jobs.get(job);
    Set<String> names = copies == null ? null : copies.names.remove(checkpoint);
    if (names != null) {
      deleteUnused(copies, new ArrayList<>(names));
    }
  }

  /** Keeps no more copies for a job. Returns what deletes those that it has. */
  synchronized Runnable disable(JobId job) {
    JobCopies copies = jobs.remove(job);
    return () -> {
      if (copies != null) {
        deleteAll(copies);
      }
    };
  }

  private synchronized void deleteAll(JobCopies copies) {
    if (copies.directory != null) {
      List<String> names = copies.names.values().stream().flatMap(Set::stream).distinct().toList();
      copies.names.clear();
      deleteUnused(copies, names);
      delete(copies.directory);
    }
  }

  private static void deleteUnused(JobCopies copies, List<String> names) {
    for (String name : names) {
      if (copies.names.values().stream().noneMatch(needed -> needed.contains(name))) {
        delete(copies.directory.resolve(name));
      }
    }
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.debug("The local copy {} of a state file cannot be deleted", path, e);
    }
  }

  /** Takes the copies that one checkpoint needs. */
  final class CheckpointCopies {
    private final JobId job;
    private final JobCopies copies;
    private final long checkpoint;

    private CheckpointCopies(JobId job, JobCopies copies, long checkpoint) {
      this.job = job;
      this.copies = copies;
      this.checkpoint = checkpoint;
    }

    /** The path of a copy, which is one of this checkpoint from now on. */
    private Path add(String name) throws IOException {
      if (jobs.get(job) != copies) {
        throw new IOException("the job has left this process");
      }
      if (copies.directory == null) {
        copies.directory = Files.createDirectories(parent.get().resolve(copies.directoryName));
      }
      copies.names.computeIfAbsent(checkpoint, number -> new LinkedHashSet<>()).add(name);
      return copies.directory.resolve(name);
    }

    /** Starts a copy of a file that is being written; empty if that is not possible. */
    Optional<OutputStream> create(String name) {
      synchronized (LocalStateCopies.this) {
        try {
          return Optional.of(new BufferedOutputStream(Files.newOutputStream(add(name)), BUFFER));
        } catch (IOException | RuntimeException e) {
          failed(name, e);
          return Optional.empty();
        }
      }
    }

    /** A copy of a local file that never changes. */
    void link(Path file, String name) {
      synchronized (LocalStateCopies.this) {
        try {
          Path copy = add(name);
          if (!Files.exists(copy)) {
            Files.createLink(copy, file);
          }
        } catch (IOException | RuntimeException e) {
          failed(name, e);
        }
      }
    }

    /** Deletes a copy that is not complete. */
    void drop(String name) {
      synchronized (LocalStateCopies.this) {
        Set<String> names = copies.names.get(checkpoint);
        if (names != null && names.remove(name)) {
          deleteUnused(copies, List.of(name));
        }
      }
    }

    void failed(String name, Exception why) {
      LOG.debug("There is no local copy of state file {}", name, why);
      drop(name);
    }
  }
}
