package io.millrace.rpc.grpc;

import static io.millrace.rpc.grpc.Receiver.next;
import static io.millrace.rpc.grpc.TestMessages.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.testtls.TestAuthority;
import io.millrace.core.tls.InternalTls;
import io.millrace.rpc.Transport;
import io.millrace.rpc.grpc.GrpcSettings.Role;
import io.millrace.rpc.grpc.TestMessages.Beat;
import io.millrace.rpc.grpc.TestMessages.Ping;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each process has its own key from the certificate authority of its cluster. */
final class ClusterAuthorityTransportTest {
  /** All processes have the same secret, so that only their keys differ. */
  private static final Bytes SECRET = Bytes.utf8("open sesame");

  @TempDir private Path directory;
  private final List<Transport> transports = new ArrayList<>();
  private TestAuthority ours;
  private TestAuthority theirs;

  @BeforeEach
  void make() {
    ours = TestAuthority.make(directory);
    theirs = TestAuthority.make(directory);
  }

  @AfterEach
  void close() {
    transports.forEach(Transport::close);
  }

  @Test
  void jobManagerAndTaskManagersCallEachOther() throws Exception {
    Transport master = start(Role.JOB_MANAGER, ours.process("jobmanager"), new Receiver());
    Transport worker = start(Role.TASK_MANAGER, ours.process("container_1"), new Receiver());
    assertThat(answer(Role.TASK_MANAGER, ours.process("container_2"), master))
        .isEqualTo(new Ping(1, 2));
    assertThat(answer(Role.JOB_MANAGER, ours.process("jobmanager"), worker))
        .isEqualTo(new Ping(1, 2));
  }

  @Test
  @Behaviour(
      "I4: a process with a key of another authority is refused, and the certificate of a process"
          + " signs nothing")
  void callerWithKeyOfAnotherAuthorityIsRejected() throws Exception {
    Receiver server = new Receiver();
    Transport master = start(Role.JOB_MANAGER, ours.process("jobmanager"), server);
    assertThat(refusal(Role.TASK_MANAGER, theirs.processTrusting(ours, "container_1"), master))
        .contains("certificate");
    assertThat(server.called).isEmpty();
  }

  @Test
  @Behaviour(
      "I4: a process with a key of another authority is refused, and the certificate of a process"
          + " signs nothing")
  void serverWithKeyOfAnotherAuthorityIsNotCalled() throws Exception {
    Transport stranger =
        start(Role.JOB_MANAGER, theirs.processTrusting(ours, "jobmanager"), new Receiver());
    assertThat(refusal(Role.TASK_MANAGER, ours.process("container_1"), stranger))
        .contains("CN=jobmanager", "security.ssl.internal.truststore");
  }

  @Test
  @Behaviour(
      "I4: a TaskManager talks to a JobManager only if the peer has a JobManager's certificate")
  void taskManagerThatPosesAsJobManagerIsNotCalled() throws Exception {
    Receiver server = new Receiver();
    Transport posing = start(Role.JOB_MANAGER, ours.process("container_2"), server);
    assertThat(refusal(Role.TASK_MANAGER, ours.process("container_1"), posing))
        .contains("CN=container_2", "is not a JobManager's");
    assertThat(server.called).isEmpty();
  }

  @Test
  @Behaviour(
      "I4: a TaskManager talks to a JobManager only if the peer has a JobManager's certificate")
  void callsOfTaskManagerThatPosesAsJobManagerAreRejected() throws Exception {
    Receiver server = new Receiver();
    Transport worker = start(Role.TASK_MANAGER, ours.process("container_1"), server);
    assertThat(refusal(Role.JOB_MANAGER, ours.process("container_2"), worker))
        .contains("certificate");
    assertThat(server.called).isEmpty();
  }

  @Test
  @Behaviour("I4: a TaskManager cannot pose as another one, nor send what only JobManagers send")
  void jobManagerHearsTaskManagersOnlyUnderTheNamesInTheirCertificates() throws Exception {
    Receiver server = new Receiver();
    Transport master = start(Role.JOB_MANAGER, verified("jobmanager"), server);
    assertThat(refusal(Role.TASK_MANAGER, verified("container_2"), master))
        .contains("CN=container_2", "it sent Ping as container_1");
    // Certificates of JobManagers have this subject in any case of letters; ids differ by case.
    assertThat(refusal(Role.TASK_MANAGER, verified("Container_1"), master))
        .contains("CN=Container_1", "it sent Ping as container_1");
    assertThat(server.called).isEmpty();
    assertThat(answer(Role.TASK_MANAGER, verified("container_1"), master))
        .isEqualTo(new Ping(1, 2));
    // Other JobManagers may send anything.
    assertThat(answer(Role.JOB_MANAGER, verified("jobmanager"), master)).isEqualTo(new Ping(1, 2));
  }

  @Test
  void verificationNeedsTheNameOfJobManagers() throws Exception {
    Configuration incomplete =
        verified("jobmanager").without(List.of(TlsOptions.JOB_MANAGER_SUBJECT.key()));
    assertThatThrownBy(() -> InternalTls.of(incomplete))
        .hasMessageContaining("security.ssl.internal.verify-worker-id")
        .hasMessageContaining("security.ssl.internal.jobmanager-subject");
  }

  private Configuration verified(String name) throws IOException {
    return ours.process(name).with(TlsOptions.VERIFY_WORKER, true);
  }

  private Object answer(Role role, Configuration tls, Transport called)
      throws InterruptedException {
    Receiver client = new Receiver();
    start(role, tls, client).send(called.address(), call(1, new Ping(1, 2)));
    return client.reply();
  }

  private String refusal(Role role, Configuration tls, Transport called)
      throws InterruptedException {
    Receiver client = new Receiver();
    start(role, tls, client).send(called.address(), call(1, new Ping(1, 2)));
    return (String) next(client.lost).what();
  }

  private Transport start(Role role, Configuration tls, Receiver receiver) {
    Transport transport =
        new GrpcTransport(
            new GrpcSettings(
                role,
                "127.0.0.1",
                BindPorts.of(JobManagerOptions.PORT, PortRange.of(0)),
                "127.0.0.1",
                SECRET,
                InternalTls.of(tls)),
            TestMessages.CODEC,
            message -> message == Beat.class,
            (message, isSender) ->
                isSender.test(new WorkerId("container_1"))
                    ? Optional.empty()
                    : Optional.of(
                        "it sent " + message.getClass().getSimpleName() + " as container_1"));
    transports.add(transport);
    transport.start(receiver);
    return transport;
  }
}
