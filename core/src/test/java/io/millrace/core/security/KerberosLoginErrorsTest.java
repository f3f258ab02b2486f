package io.millrace.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What people are told of failed logins to Kerberos, whose libraries have no types for them. */
class KerberosLoginErrorsTest {
  private static final KerberosLogin LOGIN =
      new KerberosLogin(Path.of("/etc/me.keytab"), "me@REALM");
  private static final String BEFORE =
      "The Kerberos login of me@REALM with keytab /etc/me.keytab failed: ";
  private static final String KEYTAB_KEY = "Unable to obtain password from user";
  private static final String PRINCIPAL = "Client not found in Kerberos database (6)";
  private static final List<String> OLD_KEYS =
      List.of(
          "Pre-authentication information was invalid (24)",
          "Checksum failed",
          "Integrity check on decrypted field failed (31)");
  private static final String CLOCKS = "Clock skew too great (37)";
  private static final List<String> SERVERS =
      List.of(
          "Can't get Kerberos realm",
          "Cannot locate default realm",
          "Cannot locate KDC",
          "Cannot find KDC for realm REALM",
          "Unable to locate KDC for realm REALM");

  @Test
  void failureOfTheLoginIsTheUsersAndThatOfTheServersIsNot() {
    assertThat(told(KEYTAB_KEY).kind()).isEqualTo(ErrorKind.USER);
    assertThat(told(PRINCIPAL).kind()).isEqualTo(ErrorKind.USER);
    OLD_KEYS.forEach(old -> assertThat(told(old).kind()).as(old).isEqualTo(ErrorKind.USER));
    assertThat(told(CLOCKS).kind()).isEqualTo(ErrorKind.EXTERNAL);
    SERVERS.forEach(
        server -> assertThat(told(server).kind()).as(server).isEqualTo(ErrorKind.EXTERNAL));
  }

  @Test
  void eachCauseHasAdviceOfItsOwn() {
    assertThat(told(KEYTAB_KEY)).hasMessageContaining("`klist -kt /etc/me.keytab`");
    assertThat(told(CLOCKS)).hasMessageContaining("clocks");
    SERVERS.forEach(
        server ->
            assertThat(told(server))
                .hasMessageContaining("krb5.conf")
                .hasMessageContaining("security.kerberos.krb5-conf.path"));
    assertThat(
            List.of(
                told(KEYTAB_KEY).getMessage(),
                told(PRINCIPAL).getMessage(),
                told(OLD_KEYS.get(0)).getMessage(),
                told(CLOCKS).getMessage(),
                told(SERVERS.get(0)).getMessage(),
                told("something else").getMessage()))
        .doesNotHaveDuplicates()
        .allMatch(message -> message.startsWith(BEFORE) && message.endsWith("."));
  }

  /** Libraries say the same thing in several ways. */
  @Test
  void wordsForTheSameCauseGetTheSameAdvice() {
    assertThat(OLD_KEYS.stream().map(old -> told(old).getMessage()).distinct()).hasSize(1);
    assertThat(SERVERS.stream().map(server -> told(server).getMessage()).distinct()).hasSize(1);
    assertThat(told(OLD_KEYS.get(0))).hasMessageNotContaining("Pre-authentication");
  }

  static Stream<Exception> failuresOfTheNetwork() {
    return Stream.of(
        new ConnectException("Connection refused"),
        new NoRouteToHostException("No route to host"),
        new SocketTimeoutException("Receive timed out"),
        new UnknownHostException("kdc.example.org"));
  }

  @ParameterizedTest
  @MethodSource("failuresOfTheNetwork")
  void unreachableServerIsExternalAndToldWithItsReason(Exception network) {
    Exception failure = new IOException("Login failure", wrapped(network));

    MillraceException told = KerberosLoginErrors.loginFailure(LOGIN, failure);

    assertThat(told.kind()).isEqualTo(ErrorKind.EXTERNAL);
    assertThat(told)
        .hasMessageStartingWith(BEFORE)
        .hasMessageContaining(
            "(" + network.getClass().getSimpleName() + ": " + network.getMessage() + ")")
        .hasMessageContaining("krb5.conf")
        .hasCause(failure);
  }

  @Test
  void otherFailuresAreToldByTheirFirstLine() {
    MillraceException told =
        KerberosLoginErrors.loginFailure(
            LOGIN, new IOException("something else\nwith a second line"));

    assertThat(told.kind()).isEqualTo(ErrorKind.USER);
    assertThat(told).hasMessage(BEFORE + "IOException: something else.");
  }

  private static MillraceException told(String message) {
    Exception failure = new IOException("Login failure for me@REALM", wrapped(login(message)));

    MillraceException told = KerberosLoginErrors.loginFailure(LOGIN, failure);

    assertThat(told).hasCause(failure);
    return told;
  }

  private static Exception login(String message) {
    return new LoginException(message);
  }

  private static Exception wrapped(Exception cause) {
    return new IOException("outer words", cause);
  }
}
