package io.millrace.control.jobmaster;

import io.millrace.control.cluster.ClusterServices;
import io.millrace.core.config.HeartbeatManagerOptions;
import io.millrace.core.config.RpcOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.id.WorkerId;
import io.millrace.protocol.JobMasterGateway.RegisterAtJobMaster;
import io.millrace.protocol.TaskManagerGateway;
import io.millrace.rpc.Address;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.RpcException;
import io.millrace.rpc.heartbeat.HeartbeatSettings;
import io.millrace.rpc.registration.FollowerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The TaskManagers registered at a JobMaster. Confined to the mailbox of the JobMaster. */
final class JobTaskManagerRegistry {
  private final ClusterServices cluster;
  private final Mailbox mailbox;
  private final FollowerRegistry<WorkerId, Link> links;

  /** One registration of a TaskManager. A later registration is another object. */
  static final class Link {
    final RegisterAtJobMaster registration;
    final TaskManagerGateway gateway;

    /**
     * With a longer time-out. For deployments, because a worker may have to fetch jars before it
     * answers, and for heartbeats, whose answers are in time until the heartbeat time-out.
     */
    final TaskManagerGateway longCalls;

    Link(
        RegisterAtJobMaster registration,
        TaskManagerGateway gateway,
        TaskManagerGateway longCalls) {
      this.registration = registration;
      this.gateway = gateway;
      this.longCalls = longCalls;
    }

    WorkerId worker() {
      return registration.worker();
    }
  }

  JobTaskManagerRegistry(
      ClusterServices cluster, Mailbox mailbox, FollowerRegistry.Leader<Link> jobMaster) {
    this.cluster = cluster;
    this.mailbox = mailbox;
    this.links =
        new FollowerRegistry<>(
            cluster.rpc(), mailbox, HeartbeatSettings.from(cluster.configuration()), jobMaster);
  }

  Optional<Link> find(WorkerId worker) {
    return links.get(worker);
  }

  int count() {
    return links.size();
  }

  List<Link> all() {
    return links.all();
  }

  void add(RegisterAtJobMaster registration) {
    Link link =
        new Link(
            registration,
            gateway(registration.address(), cluster.configuration().get(RpcOptions.ASK_TIMEOUT)),
            gateway(registration.address(), longTimeout()));
    links.add(link.worker(), registration.address().process(), link);
  }

  void remove(Link link) {
    links.remove(link.worker(), link);
  }

  boolean has(Link link) {
    return links.has(link.worker(), link);
  }

  void close() {
    links.close();
  }

  /** The failure that a worker reported for a call. */
  static Failure failureOf(Throwable thrown) {
    return Failure.unwrap(thrown) instanceof RpcException call
        ? call.failure()
        : Failure.of(thrown, ErrorKind.EXTERNAL);
  }

  private Duration longTimeout() {
    Duration ask = cluster.configuration().get(RpcOptions.ASK_TIMEOUT);
    Duration heartbeat = cluster.configuration().get(HeartbeatManagerOptions.HEARTBEAT_TIMEOUT);
    return ask.compareTo(heartbeat) > 0 ? ask : heartbeat;
  }

  private TaskManagerGateway gateway(Address address, Duration timeout) {
    return cluster
        .rpc()
        .gateway(TaskManagerGateway.class, address, Optional.empty(), mailbox, timeout);
  }
}
