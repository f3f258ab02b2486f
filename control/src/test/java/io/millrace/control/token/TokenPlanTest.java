package io.millrace.control.token;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.token.TokenAction.Obtain;
import io.millrace.control.token.TokenAction.RecordEvent;
import io.millrace.control.token.TokenAction.Send;
import io.millrace.control.token.TokenEvent.Failed;
import io.millrace.control.token.TokenEvent.NotNeeded;
import io.millrace.control.token.TokenEvent.NotTaken;
import io.millrace.control.token.TokenEvent.Obtained;
import io.millrace.control.token.TokenEvent.Taken;
import io.millrace.control.token.TokenEvent.Tick;
import io.millrace.control.token.TokenEvent.WorkerJoined;
import io.millrace.control.token.TokenEvent.WorkerLeft;
import io.millrace.core.Bytes;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.text.JournalText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TokenPlanTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final WorkerId ONE = new WorkerId("one");
  private static final WorkerId TWO = new WorkerId("two");
  private static final InstanceId INSTANCE = new InstanceId(new Id128(0, 1));

  private final TokenPlan plan = new TokenPlan(new TokenSettings(0.75, HOUR), List.of("a", "b"));
  private final List<TokenAction> actions = new ArrayList<>();
  private Duration now = Duration.ofSeconds(-5);

  @Test
  @Behaviour("B5: each token is renewed after the configured part of its life")
  void renewsEachTokenAfterTheConfiguredFractionOfItsLife() {
    obtained("a", 1, DAY);
    obtained("b", 1, HOUR);
    assertThat(after(Duration.ofMinutes(45).minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).containsExactly(new Obtain("b"));
    assertThat(plan.nextWake().getAsLong())
        .as("the expiry of b")
        .isEqualTo(now.plusMinutes(15).toNanos());
    obtained("b", 2, DAY.multipliedBy(2));
    assertThat(after(Duration.ofHours(17))).isEmpty();
    assertThat(after(Duration.ofMinutes(15))).containsExactly(new Obtain("a"));
  }

  @Test
  void doesNotRenewATokenThatDoesNotExpire() {
    apply(new Obtained("a", content(1), Optional.empty()));
    apply(new NotNeeded("b"));
    assertThat(plan.nextWake()).isEmpty();
    assertThat(plan.current()).containsExactly(token("a", 1));
  }

  @Test
  void boundsTheRenewalRateOfShortLivedTokens() {
    obtained("a", 1, Duration.ofMillis(1100));
    assertThat(after(Duration.ofMillis(999))).isEmpty();
    assertThat(after(Duration.ofMillis(1))).containsExactly(new Obtain("a"));
  }

  @Test
  void acceptsALifeThatExceedsNanoseconds() {
    obtained("a", 1, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(after(DAY.multipliedBy(1000))).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  void retriesAFailedRenewalAfterTheBackoff() {
    obtained("a", 1, DAY);
    assertThat(after(Duration.ofHours(18))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(lastEvent())
        .contains("'a'", "once in a row", "it is closed", "The next try is in 60 min");
    assertThat(plan.current()).containsExactly(token("a", 1));
    assertThat(after(HOUR.minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(lastEvent()).contains("2 times in a row");
    after(HOUR);
    obtained("a", 2, DAY);
    after(Duration.ofHours(18));
    failed("a");
    assertThat(lastEvent()).contains("once in a row");
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  @Behaviour(
      "B5: a failed renewal is retried within the life of the token, also of a short-lived one")
  void retriesAFailedRenewalBeforeTheTokenExpires() {
    obtained("a", 1, HOUR);
    assertThat(after(Duration.ofMinutes(45))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(after(Duration.ofSeconds(450))).containsExactly(new Obtain("a"));
    after(Duration.ofSeconds(400));
    failed("a");
    assertThat(lastEvent()).contains("The next try is in 1 min");
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is retried within the life of the token, also of a short-lived one")
  void retriesAFailedRenewalOfAShortLivedTokenWithinItsLife() {
    obtained("a", 1, Duration.ofSeconds(20));
    assertThat(after(Duration.ofSeconds(15))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(after(Duration.ofSeconds(5).minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).contains(new Obtain("a"));
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  void warnsWhenATokenExpiresBeforeItsRenewal() {
    obtained("a", 1, HOUR);
    after(Duration.ofMinutes(45));
    assertThat(recorded(after(Duration.ofMinutes(15)))).containsExactly("token expired");
    assertThat(after(HOUR)).isEmpty();
    failed("a");
    assertThat(after(Duration.ofMinutes(1))).containsExactly(new Obtain("a"));
    obtained("a", 2, HOUR);
    assertThat(recorded(after(HOUR))).containsExactly("token expired");
  }

  @Test
  void sendsOnlyTheRenewedTokenToAllWorkers() {
    obtained("a", 1, HOUR);
    obtained("b", 1, DAY);
    apply(new WorkerJoined(ONE, INSTANCE));
    apply(new WorkerJoined(TWO, INSTANCE));
    assertThat(sends()).isEmpty();
    after(Duration.ofMinutes(45));
    obtained("a", 2, HOUR);
    assertThat(sends())
        .containsExactly(
            new Send(ONE, INSTANCE, 3, List.of(token("a", 2))),
            new Send(TWO, INSTANCE, 3, List.of(token("a", 2))));
    assertThat(plan.current()).containsExactly(token("a", 2), token("b", 1));
  }

  @Test
  void sendsOneMessageAtATimeToAWorker() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(sends()).hasSize(1);
    obtained("a", 3, HOUR);
    obtained("b", 1, HOUR);
    assertThat(sends()).isEmpty();
    apply(new Taken(ONE, INSTANCE, 2));
    assertThat(sends())
        .containsExactly(new Send(ONE, INSTANCE, 4, List.of(token("a", 3), token("b", 1))));
    apply(new Taken(ONE, INSTANCE, 4));
    assertThat(sends()).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: renewed tokens go to all registered TaskManagers and the JobManager process; a failed"
          + " delivery is repeated")
  void sendsTokensAgainThatAWorkerDidNotTake() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    sends();
    apply(new NotTaken(ONE, INSTANCE, words("no answer")));
    assertThat(lastEvent()).contains("Worker one", "no answer", "in 10 s");
    obtained("a", 3, HOUR);
    assertThat(sends()).as("before the retry delay").isEmpty();
    assertThat(after(Duration.ofSeconds(10)))
        .containsExactly(new Send(ONE, INSTANCE, 3, List.of(token("a", 3))));
    apply(new Taken(ONE, INSTANCE, 3));
    assertThat(after(Duration.ofMinutes(10))).isEmpty();
  }

  @Test
  void sendsNothingToAWorkerThatIsNotRegistered() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    sends();
    apply(new NotTaken(ONE, INSTANCE, words("no answer")));
    apply(new WorkerLeft(ONE, INSTANCE));
    assertThat(after(Duration.ofSeconds(10))).isEmpty();
    obtained("a", 3, HOUR);
    assertThat(sends()).isEmpty();
  }

  @Test
  void ignoresEventsOfAnEarlierRegistration() {
    InstanceId later = new InstanceId(new Id128(0, 2));
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    apply(new WorkerJoined(ONE, later));
    apply(new WorkerLeft(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(sends()).containsExactly(new Send(ONE, later, 2, List.of(token("a", 2))));
    apply(new NotTaken(ONE, INSTANCE, words("no answer")));
    obtained("a", 3, HOUR);
    assertThat(sends()).as("a message to the later instance is being sent").isEmpty();
  }

  @Test
  @Behaviour("B5: the content of a token appears in no log, journal or text of a message")
  void actionsDoNotShowTheContentOfATokenAsText() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(actions).isNotEmpty().noneMatch(action -> action.toString().contains("content"));
    assertThat(new Obtained("a", content(1), Optional.empty()).toString())
        .doesNotContain("content-1");
  }

  private void obtained(String service, int number, Duration life) {
    apply(new Obtained(service, content(number), Optional.of(life)));
  }

  private void failed(String service) {
    apply(new Failed(service, words("it is closed.")));
  }

  private List<TokenAction> apply(TokenEvent event) {
    List<TokenAction> result = plan.apply(event, now.toNanos());
    actions.addAll(result);
    return result;
  }

  private List<TokenAction> after(Duration time) {
    now = now.plus(time);
    return apply(new Tick());
  }

  /** The {@link Send} actions since the last call. */
  private List<Send> sends() {
    List<Send> sends =
        actions.stream().filter(Send.class::isInstance).map(Send.class::cast).toList();
    actions.clear();
    return sends;
  }

  private static List<String> recorded(List<TokenAction> actions) {
    return actions.stream()
        .filter(RecordEvent.class::isInstance)
        .map(action -> JournalText.title(((RecordEvent) action).event()))
        .toList();
  }

  private String lastEvent() {
    return JournalText.of(((RecordEvent) actions.get(actions.size() - 1)).event());
  }

  private static Bytes content(int number) {
    return Bytes.utf8("content-" + number);
  }

  private static IssuedToken token(String service, int number) {
    return new IssuedToken(service, content(number));
  }
}
