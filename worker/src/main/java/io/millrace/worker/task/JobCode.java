package io.millrace.worker.task;

import io.millrace.core.codec.RecordCodec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.JarFile;
import io.millrace.graph.JobFile;
import io.millrace.graph.JobGraph;
import io.millrace.protocol.Messages;
import io.millrace.rpc.Env;
import io.millrace.rpc.Mailbox;
import io.millrace.worker.blobcache.BlobCache;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The graph and the class loader of a job, loaded once from the blob cache and released when the
 * job is removed from this worker.
 */
public final class JobCode {
  private static final Logger LOG = LoggerFactory.getLogger(JobCode.class);

  private final Env env;
  private final Mailbox mailbox;
  private final JobId job;
  private final BlobCache.Lease lease;
  private final CachedFileStore files;

  /** Of the cached files. */
  private final String owner;

  private final CompletableFuture<Loaded> loaded;
  private boolean closed;

  /**
   * The graph and the class loader for its functions.
   *
   * @param files the local copies of cached files, by name
   */
  public record Loaded(JobGraph graph, ClassLoader classes, Map<String, Path> files) {}

  private static final class Codec {
    private static final RecordCodec INSTANCE = Messages.graphCodec();
  }

  /** Starts to load; {@link #loaded} completes in the mailbox. */
  public JobCode(
      Env env,
      Mailbox mailbox,
      BlobCache blobs,
      UserClassLoaders classes,
      CachedFileStore files,
      JobId job,
      BlobKey graph) {
    this.env = env;
    this.mailbox = mailbox;
    this.job = job;
    this.lease = blobs.lease();
    this.files = files;
    this.owner = files.newOwner(job);
    this.loaded =
        lease
            .fetch(graph, mailbox)
            .thenCompose(x -> env.io().call(mailbox, () -> decode(graph)))
            .thenCompose(graphRead -> fetchJars(graphRead, 0))
            .thenCompose(graphRead -> env.io().call(mailbox, () -> load(graphRead, classes)));
  }

  public CompletableFuture<Loaded> loaded() {
    return loaded;
  }

  /**
   * Closes the class loader, then releases the files that it reads, and deletes cached files. No
   * task of the job may run.
   */
  public void close() {
    mailbox.checkInside();
    if (closed) {
      return;
    }
    closed = true;
    loaded.whenComplete(
        (code, failure) -> {
          boolean closes = failure == null && code.classes() instanceof AutoCloseable;
          // A fetch that failed may have left a part of the files.
          boolean deletes = failure != null || !code.files().isEmpty();
          if (!closes && !deletes) {
            lease.end();
            return;
          }
          env.io()
              .call(
                  mailbox,
                  () -> {
                    if (closes) {
                      ((AutoCloseable) code.classes()).close();
                    }
                    files.delete(owner);
                    return true;
                  })
              .whenComplete(
                  (done, problem) -> {
                    if (problem != null) {
                      LOG.warn("Could not release the code and files of job {}", job, problem);
                    }
                    lease.end();
                  });
        });
  }

  private JobGraph decode(BlobKey key) throws Exception {
    JobGraph graph = Codec.INSTANCE.decode(JobGraph.class, lease.read(key));
    if (!graph.id().equals(job)) {
      throw new MillraceException(
          ErrorKind.BUG, "Blob " + key + " is the graph of job " + graph.id() + ", not " + job);
    }
    return graph;
  }

  private CompletableFuture<JobGraph> fetchJars(JobGraph graph, int from) {
    if (from == graph.jars().size()) {
      return CompletableFuture.completedFuture(graph);
    }
    return lease
        .fetch(graph.jars().get(from).blob(), mailbox)
        .thenCompose(x -> fetchJars(graph, from + 1));
  }

  private Loaded load(JobGraph graph, UserClassLoaders classes) throws IOException {
    List<URL> jars = new ArrayList<>();
    for (JarFile jar : graph.jars()) {
      boolean isCachedFile =
          graph.files().stream()
              .anyMatch(file -> file.travels() && file.location().equals(jar.name()));
      if (!isCachedFile) {
        lease.location(jar.blob()).ifPresent(jars::add);
      }
    }
    Map<String, Path> fetched =
        graph.files().isEmpty()
            ? new LinkedHashMap<>()
            : files.fetch(owner, graph.files(), file -> travelled(graph, file));
    return new Loaded(graph, classes.load(job, jars), fetched);
  }

  private Path travelled(JobGraph graph, JobFile file) {
    URL location =
        graph.jars().stream()
            .filter(jar -> jar.name().equals(file.location()))
            .findFirst()
            .flatMap(jar -> lease.location(jar.blob()))
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.BUG,
                        "The cached file '" + file.name() + "' did not come with job " + job));
    return Path.of(URI.create(location.toString()));
  }
}
