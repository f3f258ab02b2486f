package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.ThreadDumpMode;
import io.millrace.core.id.BlobKey;
import io.millrace.core.id.JobId;
import io.millrace.graph.Graphs;
import io.millrace.protocol.ComponentNames;
import io.millrace.rest.JarRunner.JarRun;
import io.millrace.rpc.Endpoint;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.leader.EmbeddedLeaderElection;
import io.millrace.rpc.leader.LeaderElection.Candidacy;
import io.millrace.rpc.leader.LeaderElection.Contender;
import io.millrace.rpc.live.LiveEnv;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** A REST server with a Dispatcher and a ResourceManager that have the sample jobs. */
final class FakeCluster implements AutoCloseable, BlobSink {
  static final JobId SUBMITTED = JobId.parse("00000000000000000000000000000042");

  static final RestAuthenticator OWN_USER =
      new RestAuthenticator(RestAuthentication.PEER, Optional.empty(), List.of());

  private static final FlameGraphSettings FLAME_GRAPHS =
      new FlameGraphSettings(
          true, Duration.ofHours(1), Duration.ofHours(1), 2, Duration.ofMillis(1), 50);

  private final LiveEnv env = new LiveEnv("rest-test");
  private final InProcessNetwork network = new InProcessNetwork();
  private final Rpc jobManager = new Rpc(env, network.join("jobmanager"), Duration.ofSeconds(10));
  private final Rpc own = new Rpc(env, network.join("rest"), Duration.ofSeconds(10));
  private final Rpc worker =
      new Rpc(env, network.join(SampleJobs.worker().address().process()), Duration.ofSeconds(10));
  private final EmbeddedLeaderElection leadership = new EmbeddedLeaderElection(env);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Candidacy dispatching;

  final Map<BlobKey, Bytes> blobs = new ConcurrentHashMap<>();
  final List<JarRun> runs = new CopyOnWriteArrayList<>();
  final FakeProcess process = new FakeProcess(jobManager);
  final FakeProcess taskManagerProcess = new FakeProcess(worker);

  final FakeDispatcher dispatcher;
  final FakeResourceManager resourceManager;
  final RestServer rest;
  final String address;

  /** The answer of the jar runner; the id of the sample job by default. */
  volatile CompletableFuture<JobId> runOutcome = CompletableFuture.completedFuture(SUBMITTED);

  /** Runs no program; each appears to submit the sample job. */
  final JarRunner programs =
      new JarRunner() {
        @Override
        public CompletableFuture<JobId> run(JarRun run) {
          runs.add(run);
          return runOutcome;
        }

        @Override
        public CompletableFuture<String> plan(JarRun run) {
          runs.add(run);
          return runOutcome.thenApply(job -> Graphs.json(SampleJobs.graph(job)));
        }
      };

  FakeCluster(Path directory) {
    this(settings(directory));
  }

  FakeCluster(RestSettings settings) {
    this(settings, Optional::empty);
  }

  /**
   * @param otherLeader the address to which requests are redirected
   */
  FakeCluster(RestSettings settings, Supplier<Optional<String>> otherLeader) {
    dispatcher = lead(ComponentNames.DISPATCHER, FakeDispatcher::new);
    resourceManager = lead(ComponentNames.RESOURCE_MANAGER, FakeResourceManager::new);
    resourceManager.workers.add(SampleJobs.worker());
    add(SampleJobs.RUNNING, JobStatus.RUNNING);
    add(SampleJobs.CANCELED, JobStatus.CANCELED);
    rest =
        new RestServer(
            own,
            leadership,
            settings,
            new RestServer.Backing(
                this,
                programs,
                new Inspection(process, ThreadDumpMode.LITE, FLAME_GRAPHS),
                otherLeader));
    taskManagerProcess.start();
    address = await(rest.start());
  }

  /** For another server beside this one. */
  RestServer.Backing backing() {
    return new RestServer.Backing(
        this,
        programs,
        new Inspection(process, ThreadDumpMode.LITE, FLAME_GRAPHS),
        Optional::empty);
  }

  static RestSettings settings(Path directory) {
    return new RestSettings(
        "127.0.0.1",
        "127.0.0.1",
        BindPorts.of(RestOptions.PORT, PortRange.of(0)),
        directory,
        4 << 20,
        Duration.ofSeconds(5),
        OWN_USER,
        ConnectionLimits.DEFAULT,
        Optional.empty(),
        Optional.empty(),
        WebSettings.DEFAULT);
  }

  static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  LiveEnv env() {
    return env;
  }

  Rpc rpc() {
    return own;
  }

  EmbeddedLeaderElection leadership() {
    return leadership;
  }

  void add(JobId id, JobStatus status) {
    dispatcher.jobs.put(id, SampleJobs.details(id, status));
    dispatcher.overviews.add(SampleJobs.overview(id, status));
    if (status.isTerminal()) {
      dispatcher.results.put(id, SampleJobs.result(id, status));
    }
  }

  /** Revokes the leadership of the Dispatcher; a new one leads until the test ends. */
  FakeDispatcher replaceDispatcher() {
    dispatching.withdraw();
    await(dispatcher.stop());
    return lead(ComponentNames.DISPATCHER, FakeDispatcher::new);
  }

  void loseDispatcher() {
    dispatching.withdraw();
  }

  private <E extends Endpoint> E lead(String component, BiFunction<Rpc, LeaderToken, E> endpoint) {
    CompletableFuture<LeaderToken> granted = new CompletableFuture<>();
    Mailbox mailbox = env.mailbox("contender");
    Candidacy candidacy =
        leadership.contend(
            component,
            mailbox,
            new Contender() {
              @Override
              public void granted(LeaderToken token) {
                granted.complete(token);
              }

              @Override
              public void revoked() {
                granted.completeExceptionally(new IllegalStateException("revoked"));
              }
            });
    E leader = endpoint.apply(jobManager, await(granted));
    leader.start();
    candidacy.confirm(leader.token().orElseThrow(), leader.address());
    if (component.equals(ComponentNames.DISPATCHER)) {
      dispatching = candidacy;
    }
    return leader;
  }

  @Override
  public BlobKey put(InputStream content) throws IOException {
    Bytes bytes = Bytes.wrap(content.readAllBytes());
    BlobKey key = BlobKey.of(bytes);
    blobs.put(key, bytes);
    return key;
  }

  @Override
  public boolean contains(BlobKey key) {
    return blobs.containsKey(key);
  }

  @Override
  public long storedBytes() {
    return blobs.values().stream().mapToLong(Bytes::length).sum();
  }

  /** A response with status, headers and body. */
  record Answer(HttpResponse<byte[]> response) {
    int status() {
      return response.statusCode();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }

    JsonObject json() {
      return new JsonObject(body());
    }

    JsonArray array() {
      return new JsonArray(body());
    }

    String body() {
      return new String(response.body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    String error() {
      return json().getJsonArray("errors").getString(0);
    }
  }

  Answer get(String path) {
    return send(request(path));
  }

  Answer send(String method, String path, String body) {
    return send(request(path).method(method, BodyPublishers.ofString(body)));
  }

  Answer send(String method, String path, byte[] body) {
    return send(request(path).method(method, BodyPublishers.ofByteArray(body)));
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .timeout(Duration.ofSeconds(10));
  }

  Answer send(HttpRequest.Builder request) {
    try {
      return new Answer(http.send(request.build(), BodyHandlers.ofByteArray()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  int port() {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  @Override
  public void close() {
    await(rest.stop());
    own.close();
    jobManager.close();
    worker.close();
    env.close();
  }
}
