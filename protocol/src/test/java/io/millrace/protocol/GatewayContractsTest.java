package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.rpc.Gateway;
import io.millrace.rpc.leader.LeaderDirectoryGateway;
import io.millrace.rpc.registration.RegistrationReply;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules for the methods of all gateways. An endpoint checks them only when it is created. */
class GatewayContractsTest {

  static Stream<Class<? extends Gateway>> gateways() {
    return Stream.of(
        LeaderDirectoryGateway.class,
        DispatcherGateway.class,
        ResourceManagerGateway.class,
        JobMasterGateway.class,
        TaskManagerGateway.class,
        BlobGateway.class);
  }

  private static List<Method> methods(Class<?> gateway) {
    return Arrays.stream(gateway.getMethods())
        .filter(method -> !method.isDefault() && !Modifier.isStatic(method.getModifiers()))
        .toList();
  }

  private static Class<?> answerOf(Method method) {
    return (Class<?>)
        ((ParameterizedType) method.getGenericReturnType()).getActualTypeArguments()[0];
  }

  @ParameterizedTest
  @MethodSource("gateways")
  void methodTakesOneMessageAndReturnsAFutureMessageOrNothing(Class<? extends Gateway> gateway) {
    assertThat(methods(gateway))
        .isNotEmpty()
        .allSatisfy(
            method -> {
              assertThat(method.getParameterTypes()).singleElement().matches(Class::isRecord);
              if (method.getReturnType() == CompletableFuture.class) {
                assertThat(answerOf(method)).matches(Class::isRecord);
              } else {
                assertThat(method.getReturnType()).isEqualTo(void.class);
              }
            });
  }

  /** An endpoint finds its method by the class of the message. */
  @Test
  void noTwoMethodsOfTheClusterTakeTheSameMessage() {
    List<Class<?>> requests = new ArrayList<>();
    gateways()
        .flatMap(gateway -> methods(gateway).stream())
        .forEach(method -> requests.add(method.getParameterTypes()[0]));

    assertThat(requests).doesNotHaveDuplicates();
  }

  @Test
  void everyMessageOfAGatewayIsInTheTable() {
    Set<Class<?>> used = new LinkedHashSet<>();
    gateways()
        .flatMap(gateway -> methods(gateway).stream())
        .forEach(
            method -> {
              used.add(method.getParameterTypes()[0]);
              if (method.getReturnType() != void.class) {
                used.add(answerOf(method));
              }
            });

    assertThat(Messages.table().stream().map(Class.class::cast).toList()).containsAll(used);
  }

  @ParameterizedTest
  @MethodSource("gateways")
  void namesOfMethodsAreUniqueInAGateway(Class<? extends Gateway> gateway) {
    assertThat(methods(gateway)).extracting(Method::getName).doesNotHaveDuplicates();
  }

  /** Registrations are answered by replies that the registering side understands. */
  @Test
  void registrationsAreAnsweredByRegistrationReplies() {
    List<Method> registrations =
        gateways()
            .flatMap(gateway -> methods(gateway).stream())
            .filter(method -> method.getName().startsWith("register"))
            .toList();

    assertThat(registrations)
        .hasSizeGreaterThanOrEqualTo(3)
        .allSatisfy(
            method -> assertThat(RegistrationReply.class).isAssignableFrom(answerOf(method)));
  }
}
