package io.millrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.Id128;
import io.millrace.core.testing.Behaviour;
import io.millrace.rpc.inprocess.InProcessNetwork;
import io.millrace.rpc.journal.JournalEntry;
import io.millrace.rpc.manual.ManualEnv;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The states of an endpoint, and what happens to calls in each of them. */
final class EndpointLifecycleTest {
  private final ManualEnv env = new ManualEnv();
  private final InProcessNetwork network = new InProcessNetwork();
  private final Rpc rpc = new Rpc(env, network.join("here"), Duration.ofSeconds(10));
  private final Mailbox caller = env.mailbox("caller");

  record Question(String what) {}

  record Reply(String what) {}

  record Notice(String what) {}

  interface ServiceGateway extends Gateway {
    CompletableFuture<Reply> ask(Question question);

    void tell(Notice notice);

    /** Not a message: endpoints inherit it. */
    default String description() {
      return "service";
    }
  }

  /** Its methods do what the test says. */
  private static final class Service extends Endpoint implements ServiceGateway {
    private final List<String> log = new ArrayList<>();
    private Supplier<CompletableFuture<Void>> prepare =
        () -> CompletableFuture.completedFuture(null);
    private Runnable onStart = () -> {};
    private Supplier<CompletableFuture<Void>> onStop =
        () -> CompletableFuture.completedFuture(null);
    private Supplier<CompletableFuture<Reply>> answer =
        () -> CompletableFuture.completedFuture(new Reply("yes"));

    Service(Rpc rpc) {
      this(rpc, Optional.empty());
    }

    Service(Rpc rpc, Optional<LeaderToken> token) {
      super(rpc, "service", token);
    }

    @Override
    protected CompletableFuture<Void> prepare() {
      mailbox.checkInside();
      log.add("prepare");
      return prepare.get();
    }

    @Override
    protected void onStart() {
      mailbox.checkInside();
      log.add("start");
      onStart.run();
    }

    @Override
    protected CompletableFuture<Void> onStop() {
      mailbox.checkInside();
      log.add("stop");
      return onStop.get();
    }

    @Override
    public CompletableFuture<Reply> ask(Question question) {
      mailbox.checkInside();
      log.add(question.what());
      return answer.get();
    }

    @Override
    public void tell(Notice notice) {
      log.add(notice.what());
      record(JournalEntry.of(notice));
      record(JournalEntry.of(notice));
    }
  }

  private ServiceGateway gateway(Service service) {
    return rpc.gateway(ServiceGateway.class, service.address(), service.token(), caller);
  }

  private CompletableFuture<Reply> ask(Service service) {
    CompletableFuture<Reply> call = gateway(service).ask(new Question("question"));
    env.settle();
    return call;
  }

  private static RpcException failure(CompletableFuture<?> call) {
    assertThat(call).isCompletedExceptionally();
    return (RpcException) call.handle((answer, thrown) -> thrown).join();
  }

  @Test
  void executesCallsOnlyAfterItsPreparation() {
    Service service = new Service(rpc);
    CompletableFuture<Void> preparation = new CompletableFuture<>();
    service.prepare = () -> preparation;
    service.start();
    assertThat(failure(ask(service)).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
    assertThat(service.started()).isNotDone();

    preparation.complete(null);
    env.settle();

    assertThat(service.started()).isCompleted();
    assertThat(ask(service)).isCompletedWithValue(new Reply("yes"));
    assertThat(service.log).containsExactly("prepare", "start", "question");
  }

  private enum Failing {
    PREPARATION_THROWS,
    PREPARATION_LACKS_A_CLASS,
    PREPARATION_FAILS_AT_ONCE,
    PREPARATION_FAILS_LATER,
    START_THROWS,
    START_LACKS_A_CLASS
  }

  @ParameterizedTest
  @EnumSource(Failing.class)
  void failedStartTerminatesItWithTheCause(Failing failing) {
    Service service = new Service(rpc);
    RuntimeException cause = new MillraceException(ErrorKind.USER, "The store is missing.");
    LinkageError missing = new NoClassDefFoundError("org/example/Gone");
    CompletableFuture<Void> later = new CompletableFuture<>();
    switch (failing) {
      case PREPARATION_THROWS -> service.prepare = throwing(cause);
      case PREPARATION_LACKS_A_CLASS -> service.prepare = throwing(missing);
      case PREPARATION_FAILS_AT_ONCE ->
          service.prepare = () -> CompletableFuture.failedFuture(cause);
      case PREPARATION_FAILS_LATER -> service.prepare = () -> later;
      case START_THROWS -> {
        service.onStart =
            () -> {
              throw cause;
            };
      }
      case START_LACKS_A_CLASS -> {
        service.onStart =
            () -> {
              throw missing;
            };
      }
    }
    service.start();
    env.settle();
    later.completeExceptionally(cause);
    env.settle();

    Throwable thrown = service.terminated().handle((nothing, failure) -> failure).join();
    assertThat(thrown).isIn(cause, missing);
    assertThat(service.started()).isNotDone();
    assertThat(failure(ask(service)).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
    assertThat(service.log).doesNotContain("stop", "question");
  }

  @Test
  void preparationThatEndsAfterAStopStartsNothing() {
    Service service = new Service(rpc);
    CompletableFuture<Void> preparation = new CompletableFuture<>();
    CompletableFuture<Void> stopping = new CompletableFuture<>();
    service.prepare = () -> preparation;
    service.onStop = () -> stopping;
    service.start();
    env.settle();
    service.stop();
    env.settle();
    preparation.complete(null);
    env.settle();
    stopping.complete(null);
    env.settle();

    assertThat(service.terminated()).isCompleted();
    assertThat(service.started()).isNotDone();
    assertThat(service.log).containsExactly("prepare", "stop");
  }

  private enum Stopping {
    THROWS,
    LACKS_A_CLASS,
    FAILS,
    FAILS_LATER
  }

  /** Whoever waits for the end of an endpoint must not wait for ever. */
  @ParameterizedTest
  @EnumSource(Stopping.class)
  void endsHoweverItsStopFails(Stopping stopping) {
    Service service = new Service(rpc);
    RuntimeException cause = new IllegalStateException("in use");
    CompletableFuture<Void> later = new CompletableFuture<>();
    service.onStop =
        switch (stopping) {
          case THROWS -> throwing(cause);
          case LACKS_A_CLASS -> throwing(new NoClassDefFoundError("org/example/Gone"));
          case FAILS -> () -> CompletableFuture.failedFuture(cause);
          case FAILS_LATER -> () -> later;
        };
    service.start();
    env.settle();
    CompletableFuture<Void> terminated = service.stop();
    env.settle();
    later.completeExceptionally(cause);
    env.settle();

    assertThat(terminated).isCompleted();
    assertThat(failure(ask(service)).code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
  }

  @Test
  @Behaviour("C1: a leader that has lost its term does not answer what it has begun")
  void leaderDoesNotAnswerAfterItHasBegunToStop() {
    Service leader = new Service(rpc, Optional.of(new LeaderToken(1, new Id128(0, 1))));
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    CompletableFuture<Void> stopping = new CompletableFuture<>();
    leader.answer = () -> answer;
    leader.onStop = () -> stopping;
    leader.start();
    env.settle();
    CompletableFuture<Reply> call = ask(leader);
    leader.stop();
    env.settle();
    assertThat(call).isNotDone();
    answer.complete(new Reply("yes"));
    env.settle();

    RpcException failure = failure(call);
    assertThat(failure.code())
        .as("not NO_ENDPOINT: it was executed")
        .isEqualTo(RpcError.Code.FAILED);
    assertThat(failure.kind()).isEqualTo(ErrorKind.RESOURCE);
    assertThat(failure).hasMessageContaining("service has stopped leading");
    stopping.complete(null);
    env.settle();
    assertThat(leader.terminated()).isCompleted();
  }

  @Test
  void endpointWithoutTermsAnswersWhileItStops() {
    Service service = new Service(rpc);
    CompletableFuture<Reply> answer = new CompletableFuture<>();
    service.answer = () -> answer;
    service.onStop = CompletableFuture::new;
    service.start();
    env.settle();
    CompletableFuture<Reply> call = ask(service);
    service.stop();
    env.settle();
    answer.complete(new Reply("yes"));
    env.settle();

    assertThat(call).isCompletedWithValue(new Reply("yes"));
  }

  @Test
  void nameIsFreeAfterTheEnd() {
    Service first = new Service(rpc);
    first.start();
    env.settle();
    first.stop();
    env.settle();
    Service second = new Service(rpc);
    second.start();
    env.settle();

    assertThat(ask(second)).isCompletedWithValue(new Reply("yes"));
    assertThat(first.log).doesNotContain("question");
  }

  @Test
  void callToAnEndedEndpointThatIsOnItsWayIsRejected() {
    Service service = new Service(rpc);
    service.start();
    env.settle();
    service.stop();
    env.settle();
    List<Envelope> answers = new ArrayList<>();
    // A call that found the endpoint before it was unregistered.
    service.receive(
        new Envelope.Call("service", Optional.empty(), 7, 100, 0, new Question("late")),
        answers::add);

    assertThat(answers)
        .singleElement()
        .isInstanceOfSatisfying(
            Envelope.Failed.class,
            failed -> {
              assertThat(failed.correlation()).isEqualTo(7);
              assertThat(failed.error().code()).isEqualTo(RpcError.Code.NO_ENDPOINT);
            });
  }

  @Test
  void failureOfAnotherCallPassesThroughWithItsMessage() {
    Service inner = new Service(rpc);
    inner.answer =
        () ->
            CompletableFuture.failedFuture(
                new MillraceException(ErrorKind.RESOURCE, "The disk is full."));
    inner.start();
    env.settle();
    RpcException first = failure(ask(inner));
    inner.answer = () -> CompletableFuture.failedFuture(first);
    RpcException second = failure(ask(inner));

    assertThat(second.code()).isEqualTo(RpcError.Code.FAILED);
    assertThat(second.kind()).isEqualTo(ErrorKind.RESOURCE);
    assertThat(second).hasMessage("The disk is full.");
  }

  @Test
  void missingFutureAndMissingAnswerAreBugsOfTheEndpoint() {
    Service service = new Service(rpc);
    service.start();
    env.settle();
    service.answer = () -> null;
    RpcException noFuture = failure(ask(service));
    service.answer = () -> CompletableFuture.completedFuture(null);
    RpcException noAnswer = failure(ask(service));

    assertThat(List.of(noFuture.kind(), noAnswer.kind())).containsOnly(ErrorKind.BUG);
    assertThat(noFuture).hasMessageContaining("service returned no future");
  }

  @Test
  void methodThatLacksAClassFailsItsCallOnly() {
    Service service = new Service(rpc);
    service.start();
    env.settle();
    service.answer = throwing(new NoClassDefFoundError("org/example/Gone"));
    assertThat(failure(ask(service)).failure().message()).contains("org/example/Gone");
    service.answer = () -> CompletableFuture.completedFuture(new Reply("yes"));
    assertThat(ask(service)).isCompletedWithValue(new Reply("yes"));
  }

  @Test
  void eachEntryOfATaskIsTheCauseOfTheNext() {
    Service service = new Service(rpc);
    service.start();
    env.settle();
    env.in(caller, () -> gateway(service).tell(new Notice("told")));

    List<JournalEntry> entries = env.journal().ofCluster();
    assertThat(entries).hasSize(2);
    assertThat(entries.get(0).cause()).isZero();
    assertThat(entries.get(1).cause()).isEqualTo(entries.get(0).id());
  }

  @Test
  void oneWayMessageToAFencedEndpointIsDropped() {
    LeaderToken token = new LeaderToken(1, new Id128(0, 1));
    Service service = new Service(rpc, Optional.of(token));
    service.start();
    env.settle();
    rpc.gateway(ServiceGateway.class, service.address(), Optional.empty(), caller)
        .tell(new Notice("without a token"));
    gateway(service).tell(new Notice("with the token"));
    env.settle();

    assertThat(service.log).contains("with the token").doesNotContain("without a token");
  }

  interface TwinGateway extends Gateway {
    void alsoTell(Notice notice);
  }

  /** Two gateways that take the same message. */
  private static final class Ambiguous extends Endpoint implements ServiceGateway, TwinGateway {
    Ambiguous(Rpc rpc) {
      super(rpc, "ambiguous", Optional.empty());
    }

    @Override
    public CompletableFuture<Reply> ask(Question question) {
      return CompletableFuture.completedFuture(new Reply("yes"));
    }

    @Override
    public void tell(Notice notice) {}

    @Override
    public void alsoTell(Notice notice) {}
  }

  interface AnsweringGateway extends Gateway {
    String answer(Question question);
  }

  private static final class Answering extends Endpoint implements AnsweringGateway {
    Answering(Rpc rpc) {
      super(rpc, "answering", Optional.empty());
    }

    @Override
    public String answer(Question question) {
      return "at once";
    }
  }

  interface TextGateway extends Gateway {
    void tell(String text);
  }

  private static final class Texts extends Endpoint implements TextGateway {
    Texts(Rpc rpc) {
      super(rpc, "texts", Optional.empty());
    }

    @Override
    public void tell(String text) {}
  }

  @Test
  void endpointsWhoseMessagesAreAmbiguousOrNoRecordsAreRefused() {
    assertThatThrownBy(() -> new Ambiguous(rpc))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("take the same message");
    assertThatThrownBy(() -> new Answering(rpc))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("return CompletableFuture or void");
    assertThatThrownBy(() -> new Texts(rpc))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("must take one record");
  }

  @Test
  void gatewaysAreEqualToThemselvesAndNameTheirTarget() {
    Service service = new Service(rpc);
    ServiceGateway gateway = gateway(service);
    ServiceGateway same = gateway;
    ServiceGateway other = gateway(service);

    assertThat(gateway).isEqualTo(same).isNotEqualTo(other).hasSameHashCodeAs(other);
    assertThat(gateway).hasToString("ServiceGateway(" + service.address() + ")");
  }

  private static <T> Supplier<T> throwing(RuntimeException exception) {
    return () -> {
      throw exception;
    };
  }

  private static <T> Supplier<T> throwing(LinkageError error) {
    return () -> {
      throw error;
    };
  }
}
