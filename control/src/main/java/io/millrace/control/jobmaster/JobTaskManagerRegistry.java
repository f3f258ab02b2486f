package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.core.config.Options;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.protocol.reason.PeerReason.ConnectionLost;
import io.millrace.protocol.reason.PeerReason.HeartbeatTimeout;
import io.millrace.protocol.reason.Reason;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.Subscription;
import io.millrace.rpc.heartbeat.HeartbeatMonitor;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The TaskManagers registered at a JobMaster, each watched for silence and for a broken connection.
 * Lives in the JobMaster's mailbox.
 */
final class JobTaskManagerRegistry {
  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final Consumer<Link> ask;
  private final BiConsumer<Link, Reason> lost;
  private final HeartbeatMonitor<WorkerId> heartbeats;
  private final Map<WorkerId, Link> links = new LinkedHashMap<>();

  /** A registered TaskManager. */
  static final class Link {
    final RegisterAtJobMaster registration;
    final TaskManagerGateway gateway;

    /**
     * For deployments: a worker may have to fetch the job's jars before it answers. And for
     * heartbeats: an answer is in time until the worker counts as silent.
     */
    final TaskManagerGateway longCalls;

    private Subscription watch = () -> {};

    Link(RegisterAtJobMaster registration, TaskManagerGateway gateway, TaskManagerGateway longCalls) {
      this.registration = registration;
      this.gateway = gateway;
      this.longCalls = longCalls;
    }

    WorkerId worker() {
      return registration.worker();
    }
  }

  /**
   * @param ask puts the heartbeat's question to a worker
   * @param lost told of a worker that is gone and why; it is still registered then
   */
  JobTaskManagerRegistry(
      ClusterServices cluster, Mailbox mailbox, Consumer<Link> ask, BiConsumer<Link, Reason> lost) {
    this.cluster = cluster;
    this.mailbox = mailbox;
    this.ask = ask;
    this.lost = lost;
    this.heartbeats =
        new HeartbeatMonitor<>(
            cluster.rpc().env(),
            mailbox,
            HeartbeatSettings.from(cluster.configuration()),
            worker ->
                find(worker)
                    .ifPresent(
                        link ->
                            lost.accept(
                                link,
                                new HeartbeatTimeout(
                                    cluster.configuration().get(Options.HEARTBEAT_TIMEOUT)))));
  }

  Optional<Link> find(WorkerId worker) {
    return Optional.ofNullable(links.get(worker));
  }

  int count() {
    return links.size();
  }

  List<Link> all() {
    return new ArrayList<>(links.values());
  }

  void add(RegisterAtJobMaster registration) {
    Link link =
        new Link(
            registration,
            gateway(registration.address(), cluster.configuration().get(Options.ASK_TIMEOUT)),
            gateway(registration.address(), patience()));
    links.put(link.worker(), link);
    link.watch =
        cluster
            .rpc()
            .watch(
                registration.address().process(),
                mailbox,
                reason -> lost.accept(link, new ConnectionLost(reason)));
    // Asked only after the answer to its registration has left, so that it knows who asks.
    mailbox.post(
        () -> {
          if (has(link)) {
            heartbeats.watch(link.worker(), () -> ask.accept(link));
          }
        });
  }

  void heard(Link link) {
    if (links.get(link.worker()) == link) {
      heartbeats.heard(link.worker());
    }
  }

  void remove(Link link) {
    link.watch.cancel();
    heartbeats.forget(link.worker());
    links.remove(link.worker(), link);
  }

  boolean has(Link link) {
    return links.get(link.worker()) == link;
  }

  void close() {
    all().forEach(this::remove);
  }

  /** What a worker said of a call that failed. */
  static Failure failureOf(Throwable thrown) {
    return Failure.unwrap(thrown) instanceof RpcException call
        ? call.failure()
        : Failure.of(thrown, ErrorKind.EXTERNAL);
  }

  private Duration patience() {
    Duration ask = cluster.configuration().get(Options.ASK_TIMEOUT);
    Duration heartbeat = cluster.configuration().get(Options.HEARTBEAT_TIMEOUT);
    return ask.compareTo(heartbeat) > 0 ? ask : heartbeat;
  }

  private TaskManagerGateway gateway(Address address, Duration timeout) {
    return cluster
        .rpc()
        .gateway(TaskManagerGateway.class, address, Optional.empty(), mailbox, timeout);
  }
}
