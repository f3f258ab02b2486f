package io.millrace.rest;

import io.millrace.core.config.BindPorts;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.RestServerTls;
import io.millrace.rpc.Rpc;
import io.millrace.rpc.leader.LeaderRetrieval;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers REST requests by calling the leaders of the cluster. It stores nothing except uploaded
 * jars.
 *
 * <p>{@link #start} is called once, {@link #stop} once after it, each from any thread.
 */
public final class RestServer {
  private static final Logger LOG = LoggerFactory.getLogger(RestServer.class);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(3);

  /** Longer than any request is held, but idle connections are closed. */
  private static final int IDLE_MINUTES = 5;

  private static final int MAX_HEADERS = 16 * 1024;
  private static final int MAX_REQUEST_LINE = 8 * 1024;

  private final RestSettings settings;
  private final ClusterGateways cluster;
  private final List<Operation> operations;
  private final Supplier<Optional<String>> otherLeader;
  private final BrowserSessions sessions = new BrowserSessions();
  private volatile Vertx vertx;
  private volatile ConnectionLimiter connections;
  private volatile String address = "";

  /**
   * The parts of the JobManager process that the server uses directly.
   *
   * @param inspection how the server looks into processes
   * @param otherLeader the REST address of the JobManager that leads; empty if that is this one or
   *     not known. Requests are redirected there.
   */
  public record Backing(
      BlobSink blobs,
      JarRunner runner,
      Inspection inspection,
      Supplier<Optional<String>> otherLeader) {
    public Backing {
      Objects.requireNonNull(blobs);
      Objects.requireNonNull(runner);
      Objects.requireNonNull(inspection);
      Objects.requireNonNull(otherLeader);
    }
  }

  public RestServer(Rpc rpc, LeaderRetrieval leaders, RestSettings settings, Backing backing) {
    this.settings = settings;
    this.otherLeader = backing.otherLeader();
    this.cluster = new ClusterGateways(rpc, leaders);
    JarStore jars = new JarStore(settings.uploadDir(), rpc.env().random("rest-uploads"));
    DataSetOperations dataSets = new DataSetOperations(rpc.env().random("rest-datasets"));
    SavepointOperations savepoints = new SavepointOperations(rpc.env().random("rest-savepoints"));
    this.operations = operations(dataSets, savepoints, jars, backing);
  }

  /** A server with other operations. */
  RestServer(ClusterGateways cluster, RestSettings settings, List<Operation> operations) {
    this.settings = settings;
    this.otherLeader = Optional::empty;
    this.cluster = cluster;
    this.operations = new ArrayList<>(operations);
    this.operations.addAll(pageOperations(operations));
  }

  private List<Operation> operations(
      DataSetOperations dataSets, SavepointOperations savepoints, JarStore jars, Backing backing) {
    BlobSink blobs = backing.blobs();
    Supplier<String> url = () -> settings.scheme() + address;
    UploadQuota quota =
        new UploadQuota(settings.uploadQuota(), () -> jars.storedBytes() + blobs.storedBytes());
    List<Operation> all = new ArrayList<>();
    // First: their paths match those of others, too, with an id in place of "metrics".
    all.addAll(new MetricOperations().table());
    all.addAll(new ClusterOperations(BuildInfo.read(), settings.refusal().isEmpty()).table());
    all.addAll(new JobOperations(blobs).table());
    all.addAll(new TerminationOperations().table());
    all.addAll(new RescaleOperations().table());
    all.addAll(new ApplicationOperations().table());
    all.addAll(new AccumulatorOperations().table());
    all.addAll(new SubtaskOperations().table());
    all.addAll(new VertexOperations().table());
    all.addAll(savepoints.table());
    all.addAll(new ExplainOperations().table());
    all.addAll(new JobFlowOperations().table());
    all.addAll(new ProcessOperations(backing.inspection(), url).table());
    all.addAll(new FlameGraphOperations(backing.inspection().flameGraphs()).table());
    all.addAll(new BlockOperations().table());
    all.addAll(dataSets.table());
    all.addAll(new JarOperations(jars, quota, backing.runner(), url).table());
    all.addAll(new BlobOperations(blobs, jars, quota).table());
    all.addAll(pageOperations(all));
    settings
        .refusal()
        .ifPresent(
            reason ->
                all.replaceAll(
                    operation -> operation.submits() ? operation.rejecting(reason) : operation));
    return all;
  }

  /** The operations of the web page, which shows what the given ones answer. */
  private List<Operation> pageOperations(List<Operation> shown) {
    List<Operation> all = new ArrayList<>(new WebPage().table());
    all.addAll(new EventStreams(shown).table());
    all.addAll(sessions.table());
    return all;
  }

  List<Operation> operations() {
    return operations;
  }

  /** Starts to listen; completes with {@code host:port}, where the port is the bound one. */
  public CompletableFuture<String> start() {
    InetAddress bind;
    try {
      bind = bindAddress();
      connections =
          peers()
              .map(peers -> new ConnectionLimiter(settings.connections(), peers))
              .orElseGet(() -> new ConnectionLimiter(settings.connections()));
    } catch (MillraceException e) {
      return CompletableFuture.failedFuture(e);
    }
    vertx =
        Vertx.builder().with(options()).withTransport(new LimitedTransport(connections)).build();
    CompletableFuture<String> started = new CompletableFuture<>();
    listen(bind, settings.ports().range().ports().iterator(), started);
    return started;
  }

  private void listen(
      InetAddress bind, Iterator<Integer> ports, CompletableFuture<String> started) {
    HttpServer server = vertx.createHttpServer(serverOptions(bind, ports.next()));
    new RequestHandler(vertx, cluster, settings, connections, operations, sessions, otherLeader)
        .attach(server);
    server
        .listen()
        .onComplete(
            listening -> {
              if (listening.succeeded()) {
                address = settings.address() + ":" + server.actualPort();
                LOG.info("REST listens at {}{}", settings.scheme(), address);
                started.complete(address);
              } else if (BindPorts.isTaken(listening.cause()) && ports.hasNext()) {
                listen(bind, ports, started);
              } else {
                vertx
                    .close()
                    .onComplete(
                        closed -> started.completeExceptionally(notBound(listening.cause())));
              }
            });
  }

  /** Closes all connections, also those of pending requests; completes within some seconds. */
  public CompletableFuture<Void> stop() {
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    Vertx running = vertx;
    if (running == null) {
      cluster.close();
      stopped.complete(null);
      return stopped;
    }
    cluster
        .mailbox()
        .after(
            STOP_TIMEOUT,
            () -> {
              if (stopped.complete(null)) {
                LOG.warn("REST did not close its connections within {}", STOP_TIMEOUT);
                cluster.close();
              }
            });
    running
        .close()
        .onComplete(
            closed -> {
              if (closed.failed()) {
                LOG.warn("REST did not stop cleanly", closed.cause());
              }
              connections.close();
              if (stopped.complete(null)) {
                cluster.close();
                LOG.info("REST at {} stopped", address);
              }
            });
    return stopped;
  }

  private InetAddress bindAddress() {
    try {
      InetAddress bind = InetAddress.getByName(settings.bindAddress());
      if (!bind.isLoopbackAddress()) {
        RestAuthenticator.checkBeyondLoopback(
            settings.bindAddress(),
            settings.access().authentication(),
            settings.access().token().isPresent());
      }
      return bind;
    } catch (UnknownHostException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no host '"
              + settings.bindAddress()
              + "' to bind the REST server to. Set rest.bind-address to 127.0.0.1.",
          e);
    }
  }

  /** Looks up the users of connections, if that authenticates them; others need the token. */
  private Optional<PeerAuthentication> peers() {
    RestAuthenticator access = settings.access();
    if (access.authentication() == RestAuthentication.NONE) {
      LOG.warn(
          "REST does not authenticate its clients ({} is none): each user of this machine has there"
              + " the rights of the user of this process",
          SecurityOptions.REST_AUTHENTICATION.key());
    }
    if (!access.isByPeer()) {
      return Optional.empty();
    }
    try {
      return Optional.of(PeerAuthentication.ofThisMachine());
    } catch (MillraceException e) {
      if (access.token().isPresent()) {
        LOG.warn(
            "REST requires the token from all clients, because it cannot look up the users of"
                + " connections: {}",
            e.getMessage());
        return Optional.empty();
      }
      throw new MillraceException(
          ErrorKind.USER,
          "REST cannot look up the users of connections, and has no token for its clients: "
              + e.getMessage()
              + ". Set "
              + SecurityOptions.REST_TOKEN_FILE.key()
              + " to a file with a token.",
          e);
    }
  }

  private MillraceException notBound(Throwable failure) {
    BindPorts ports = settings.ports();
    if (BindPorts.isTaken(failure)) {
      return ports.exhausted(settings.bindAddress(), failure);
    }
    Throwable cause = Failure.unwrap(failure);
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The REST server could not listen at "
            + settings.bindAddress()
            + ":"
            + ports.range()
            + " ("
            + ports.option()
            + "): "
            + Failure.sentence(cause),
        cause);
  }

  /** Few threads, because none of them blocks, and no file cache of Vert.x. */
  private static VertxOptions options() {
    return new VertxOptions()
        .setEventLoopPoolSize(2)
        .setWorkerPoolSize(1)
        .setInternalBlockingPoolSize(1)
        .setUseDaemonThread(true)
        .setBlockedThreadCheckInterval(1)
        .setBlockedThreadCheckIntervalUnit(TimeUnit.MINUTES)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setClassPathResolvingEnabled(false)
                .setFileCachingEnabled(false));
  }

  private HttpServerOptions serverOptions(InetAddress bind, int port) {
    HttpServerOptions plain =
        new HttpServerOptions()
            .setHost(bind.getHostAddress())
            .setPort(port)
            .setHttp2ClearTextEnabled(false)
            .setHandle100ContinueAutomatically(true)
            .setMaxHeaderSize(MAX_HEADERS)
            .setMaxInitialLineLength(MAX_REQUEST_LINE)
            .setIdleTimeout(IDLE_MINUTES)
            .setIdleTimeoutUnit(TimeUnit.MINUTES);
    return settings.tls().map(tls -> encrypted(plain, tls)).orElse(plain);
  }

  private static HttpServerOptions encrypted(HttpServerOptions options, RestServerTls tls) {
    options
        .setSsl(true)
        .setKeyCertOptions(KeyCertOptions.wrap(tls.key()))
        // The server supports HTTP/1.1 only.
        .setUseAlpn(false)
        .setEnabledSecureTransportProtocols(new LinkedHashSet<>(List.of(tls.protocol())));
    tls.ciphers().forEach(options::addEnabledCipherSuite);
    tls.clients()
        .ifPresent(
            clients ->
                options
                    .setClientAuth(ClientAuth.REQUIRED)
                    .setTrustOptions(TrustOptions.wrap(clients)));
    return options;
  }
}
