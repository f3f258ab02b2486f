package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestAuthentication;
import io.millrace.core.config.RestOptions;
import io.millrace.core.config.RestTlsOptions;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.PrivateFile;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestAuthenticatorTest {
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private Path directory;

  @ParameterizedTest
  @CsvSource({
    // method, authorization, from, own user, served by token, served by peer
    "GET, Bearer 0123456789abcdef, 10.1.1.1, false, true, true",
    "POST, Bearer 0123456789abcdef, 10.1.1.1, false, true, true",
    "DELETE, bearer 0123456789abcdef, 10.1.1.1, false, true, true",
    "GET, '', 10.1.1.1, false, false, false",
    "GET, '', 127.0.0.1, false, false, false",
    "GET, Bearer 0123456789abcdeF, 10.1.1.1, false, false, false",
    "GET, Bearer 0123456789abcde, 10.1.1.1, false, false, false",
    "GET, Bearer, 10.1.1.1, false, false, false",
    "GET, Basic 0123456789abcdef, 10.1.1.1, false, false, false",
    "GET, 0123456789abcdef, 10.1.1.1, false, false, false",
    "GET, '', 127.0.0.1, true, false, true",
    "POST, '', 127.0.0.1, true, false, true",
    "POST, Bearer of-another-cluster, 127.0.0.1, true, false, true",
    // A proxy that authenticates its users may read only.
    "GET, '', 10.0.0.7, false, true, true",
    "HEAD, '', 10.0.0.8, false, true, true",
    "POST, '', 10.0.0.7, false, false, false",
    "PATCH, '', 10.0.0.7, false, false, false",
    "DELETE, '', 10.0.0.7, false, false, false",
  })
  void servesOwnUserAndClientsWithToken(
      String method,
      String authorization,
      String from,
      boolean ownUser,
      boolean servedByToken,
      boolean servedByPeer) {
    assertThat(
            access(RestAuthentication.TOKEN)
                .refusal(method, authorization, from, ownUser, Optional.empty()))
        .matches(refusal -> refusal.isEmpty() == servedByToken);
    assertThat(
            access(RestAuthentication.PEER)
                .refusal(method, authorization, from, ownUser, Optional.empty()))
        .matches(refusal -> refusal.isEmpty() == servedByPeer);
  }

  private static RestAuthenticator access(RestAuthentication authentication) {
    return new RestAuthenticator(
        authentication, Optional.of(TOKEN), List.of("10.0.0.7", "10.0.0.8"));
  }

  @ParameterizedTest
  @EnumSource(
      value = RestAuthentication.class,
      names = {"NONE", "MTLS"})
  void servesAllClientsWithoutTokenCheck(RestAuthentication authentication) {
    RestAuthenticator access = new RestAuthenticator(authentication, Optional.empty(), List.of());
    assertThat(access.refusal("POST", "", "127.0.0.1", false, Optional.empty())).isEmpty();
  }

  @Test
  void rejectsAnyTokenIfNoneIsConfigured() {
    RestAuthenticator access =
        new RestAuthenticator(RestAuthentication.PEER, Optional.empty(), List.of());
    assertThat(access.refusal("GET", "Bearer ", "127.0.0.1", false, Optional.empty()))
        .hasValueSatisfying(
            refusal -> assertThat(refusal).hasMessageContaining("security.rest.token-file"));
  }

  @Test
  void defaultsToPeerOnLoopbackAndTokenBeyond() throws IOException {
    Configuration withToken =
        Configuration.EMPTY.with(SecurityOptions.REST_TOKEN_FILE, tokenFile());
    assertThat(RestAuthenticator.of(Configuration.EMPTY).authentication())
        .isEqualTo(RestAuthentication.PEER);
    assertThat(RestAuthenticator.of(withToken).authentication()).isEqualTo(RestAuthentication.PEER);
    assertThat(
            RestAuthenticator.of(withToken.with(RestOptions.BIND_ADDRESS, "0.0.0.0"))
                .authentication())
        .isEqualTo(RestAuthentication.TOKEN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.1", "::"})
  @Behaviour("I4: REST binds beyond loopback only with authentication")
  void rejectsBindAddressBeyondLoopbackWithoutAuthentication(String address) throws IOException {
    Configuration beyond = Configuration.EMPTY.with(RestOptions.BIND_ADDRESS, address);
    assertThatThrownBy(() -> RestAuthenticator.of(beyond))
        .hasMessageContainingAll("rest.bind-address", address, "security.rest.token-file");
    Configuration withToken = beyond.with(SecurityOptions.REST_TOKEN_FILE, tokenFile());
    for (RestAuthentication open : List.of(RestAuthentication.NONE, RestAuthentication.PEER)) {
      assertThatThrownBy(
              () -> RestAuthenticator.of(withToken.with(SecurityOptions.REST_AUTHENTICATION, open)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContainingAll("rest.bind-address", "security.rest.authentication");
    }
  }

  @Test
  void mtlsReplacesTokenOnlyWithTls() {
    Configuration beyond =
        Configuration.EMPTY
            .with(RestOptions.BIND_ADDRESS, "0.0.0.0")
            .with(SecurityOptions.REST_AUTHENTICATION, RestAuthentication.MTLS);
    assertThatThrownBy(() -> RestAuthenticator.of(beyond))
        .hasMessageContaining("security.ssl.rest.enabled");
    assertThat(RestAuthenticator.of(beyond.with(RestTlsOptions.ENABLED, true)).authentication())
        .isEqualTo(RestAuthentication.MTLS);
  }

  @Test
  void rejectsTokenAuthenticationWithoutToken() {
    Configuration configuration =
        Configuration.EMPTY.with(SecurityOptions.REST_AUTHENTICATION, RestAuthentication.TOKEN);
    assertThatThrownBy(() -> RestAuthenticator.of(configuration))
        .hasMessageContaining("security.rest.token-file");
  }

  private Path tokenFile() throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, TOKEN);
    return file;
  }

  @Test
  @Behaviour("I4: a reader may change nothing")
  void readersMayReadOnly() {
    String reader = "fedcba9876543210fedcba9876543210";
    RestAuthenticator access =
        new RestAuthenticator(
            RestAuthentication.TOKEN, Optional.of(TOKEN), Optional.of(reader), List.of());
    assertThat(access.refusal("GET", "Bearer " + reader, "10.0.0.1", false, Optional.empty()))
        .isEmpty();
    assertThat(access.refusal("DELETE", "Bearer " + reader, "10.0.0.1", false, Optional.empty()))
        .get()
        .extracting(RestError::status)
        .isEqualTo(403);
    Optional<AccessRole> session = Optional.of(AccessRole.READER);
    assertThat(access.refusal("GET", "", "10.0.0.1", false, session)).isEmpty();
    assertThat(access.refusal("PATCH", "", "10.0.0.1", false, session)).isPresent();
    assertThat(access.refusal("PATCH", "", "10.0.0.1", false, Optional.of(AccessRole.OPERATOR)))
        .isEmpty();
  }
}
