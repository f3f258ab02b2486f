package io.millrace.yarn.master;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.SecretManager;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.yarn.api.ApplicationMasterProtocol;
import org.apache.hadoop.yarn.api.ContainerManagementProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateResponse;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.FinishApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterRequest;
import org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse;
import org.apache.hadoop.yarn.api.protocolrecords.StartContainersResponse;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.NMToken;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.Token;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.ipc.YarnRPC;
import org.apache.hadoop.yarn.proto.YarnServiceProtos.SchedulerResourceTypes;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.security.NMTokenIdentifier;

/**
 * The servers of a ResourceManager and a NodeManager in this process, for {@link DriverTraining}.
 * They authenticate the ApplicationMaster by its tokens, as YARN does, and start no containers.
 */
final class TrainingYarn implements ApplicationMasterProtocol, AutoCloseable {
  static final ApplicationId APPLICATION = ApplicationId.newInstance(1, 1);

  private static final ApplicationAttemptId ATTEMPT =
      ApplicationAttemptId.newInstance(APPLICATION, 1);
  private static final Resource LARGEST = Resource.newInstance(1 << 20, 1 << 10);
  private static final byte[] PASSWORD = "training".getBytes(StandardCharsets.UTF_8);

  private final YarnConfiguration settings = new YarnConfiguration();
  private final UserGroupInformation user = UserGroupInformation.createRemoteUser("training");
  private final CompletableFuture<ContainerId> started = new CompletableFuture<>();
  private final Server resourceManager;
  private final Server nodeManager;
  private final NodeId node;
  private int answers;

  TrainingYarn() {
    FixedPassword<AMRMTokenIdentifier> masters = new FixedPassword<>(AMRMTokenIdentifier::new);
    resourceManager = serve(ApplicationMasterProtocol.class, this, masters);
    nodeManager =
        serve(
            ContainerManagementProtocol.class,
            nodeManager(),
            new FixedPassword<>(NMTokenIdentifier::new));
    InetSocketAddress address = NetUtils.getConnectAddress(resourceManager);
    node =
        NodeId.newInstance(
            address.getHostString(), NetUtils.getConnectAddress(nodeManager).getPort());
    settings.setSocketAddr(YarnConfiguration.RM_SCHEDULER_ADDRESS, address);
    org.apache.hadoop.security.token.Token<AMRMTokenIdentifier> token =
        new org.apache.hadoop.security.token.Token<>(new AMRMTokenIdentifier(ATTEMPT, 1), masters);
    token.setService(SecurityUtil.buildTokenService(address));
    user.addToken(token);
  }

  private Server serve(
      Class<?> protocol, Object answering, SecretManager<? extends TokenIdentifier> tokens) {
    YarnConfiguration ofServer = new YarnConfiguration(settings);
    ofServer.set(
        CommonConfigurationKeysPublic.HADOOP_SECURITY_AUTHENTICATION, AuthMethod.TOKEN.toString());
    Server server =
        YarnRPC.create(ofServer)
            .getServer(
                protocol,
                answering,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ofServer,
                tokens,
                1);
    server.start();
    return server;
  }

  YarnConfiguration settings() {
    return settings;
  }

  /** The user of the ApplicationMaster, with its token. */
  UserGroupInformation user() {
    return user;
  }

  /** Completes when the NodeManager was told to start a container. */
  CompletableFuture<ContainerId> started() {
    return started;
  }

  @Override
  public RegisterApplicationMasterResponse registerApplicationMaster(
      RegisterApplicationMasterRequest request) {
    RegisterApplicationMasterResponse response =
        RegisterApplicationMasterResponse.newInstance(
            Resource.newInstance(1, 1),
            LARGEST,
            Map.of(),
            ByteBuffer.allocate(0),
            List.of(),
            "default",
            List.of());
    response.setSchedulerResourceTypes(EnumSet.of(SchedulerResourceTypes.MEMORY));
    return response;
  }

  @Override
  public synchronized AllocateResponse allocate(AllocateRequest request) {
    List<Container> containers = new ArrayList<>();
    List<NMToken> tokens = new ArrayList<>();
    for (ResourceRequest asked : request.getAskList()) {
      if (asked.getNumContainers() > 0 && ResourceRequest.isAnyLocation(asked.getResourceName())) {
        Container container =
            Container.newInstance(
                ContainerId.newContainerId(ATTEMPT, 2),
                node,
                node.getHost() + ":1",
                asked.getCapability(),
                asked.getPriority(),
                token("ContainerToken", new byte[0]));
        container.setAllocationRequestId(asked.getAllocationRequestId());
        containers.add(container);
        tokens.add(
            NMToken.newInstance(
                node,
                token(
                    NMTokenIdentifier.KIND.toString(),
                    new NMTokenIdentifier(ATTEMPT, node, "training", 1).getBytes())));
      }
    }
    return AllocateResponse.newBuilder()
        .responseId(++answers)
        .allocatedContainers(containers)
        .nmTokens(tokens)
        .completedContainersStatuses(List.of())
        .updatedNodes(List.of())
        .availableResources(LARGEST)
        .numClusterNodes(1)
        .build();
  }

  private static Token token(String kind, byte[] identifier) {
    return Token.newInstance(identifier, kind, PASSWORD, "");
  }

  @Override
  public FinishApplicationMasterResponse finishApplicationMaster(
      FinishApplicationMasterRequest request) {
    return FinishApplicationMasterResponse.newInstance(true);
  }

  /** Answers calls to start containers only. */
  private ContainerManagementProtocol nodeManager() {
    return (ContainerManagementProtocol)
        java.lang.reflect.Proxy.newProxyInstance(
            TrainingYarn.class.getClassLoader(),
            new Class<?>[] {ContainerManagementProtocol.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("startContainers")) {
                throw new UnsupportedOperationException(method.getName());
              }
              ContainerId container = ContainerId.newContainerId(ATTEMPT, 2);
              started.complete(container);
              return StartContainersResponse.newInstance(Map.of(), List.of(container), Map.of());
            });
  }

  @Override
  public void close() {
    nodeManager.stop();
    resourceManager.stop();
  }

  /** Tokens of which all have the same password. */
  private static final class FixedPassword<T extends TokenIdentifier> extends SecretManager<T> {
    private final Supplier<T> identifiers;

    FixedPassword(Supplier<T> identifiers) {
      this.identifiers = identifiers;
    }

    @Override
    protected byte[] createPassword(T identifier) {
      return PASSWORD.clone();
    }

    @Override
    public byte[] retrievePassword(T identifier) {
      return PASSWORD.clone();
    }

    @Override
    public T createIdentifier() {
      return identifiers.get();
    }
  }
}
