package io.millrace.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files with secrets, and the files that a Kerberos login needs. */
class PrivateFileTest {
  @TempDir private Path directory;

  @Test
  void createdFileIsForItsOwnerOnly() throws IOException {
    Path file = directory.resolve("secret");

    PrivateFile.create(file, "hunter2");

    assertThat(Files.readString(file)).isEqualTo("hunter2");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThatCode(() -> PrivateFile.check("The secret file", file)).doesNotThrowAnyException();
  }

  @Test
  void existingFileIsNotReplaced() throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "old");

    assertThatExceptionOfType(FileAlreadyExistsException.class)
        .isThrownBy(() -> PrivateFile.create(file, "new"));
    assertThat(Files.readString(file)).isEqualTo("old");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw----r--", "rw---x---", "rw-rw----", "rwx-----x", "rw--w----"})
  void anyPermissionOfOthersIsRefusedWithTheCommandThatHelps(String mode) throws IOException {
    Path file = withMode(mode);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> PrivateFile.check("The secret file", file))
        .withMessage(
            "The secret file " + file + " is accessible to other users. Run: chmod 600 " + file)
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @ParameterizedTest
  @ValueSource(strings = {"r--------", "r-x------", "rwx------", "-w-------"})
  void permissionsOfTheOwnerAreNotChecked(String mode) throws IOException {
    Path file = withMode(mode);

    assertThatCode(() -> PrivateFile.check("The secret file", file)).doesNotThrowAnyException();
  }

  @Test
  void missingFileIsAnErrorOfItsOwn() {
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> PrivateFile.check("The secret file", directory.resolve("none")));
  }

  @Test
  void blankNameOfAKerberosFileIsNone() {
    assertThat(KerberosConfiguration.file(Configuration.EMPTY)).isEmpty();
    assertThat(
            KerberosConfiguration.file(
                Configuration.EMPTY.with(SecurityOptions.KERBEROS_CONFIGURATION, "  ")))
        .isEmpty();
  }

  @Test
  void kerberosFileIsTheConfiguredOne() throws IOException {
    Path file = Files.writeString(directory.resolve("krb5.conf"), "[libdefaults]");
    Configuration configuration =
        Configuration.EMPTY.with(SecurityOptions.KERBEROS_CONFIGURATION, file);

    assertThat(KerberosConfiguration.file(configuration)).contains(file);
  }

  @Test
  void missingKerberosFileIsNamedWithItsOption() {
    Path file = directory.resolve("none.conf");
    Configuration configuration =
        Configuration.EMPTY.with(SecurityOptions.KERBEROS_CONFIGURATION, file);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> KerberosConfiguration.file(configuration))
        .withMessage(
            "The file "
                + file
                + " ("
                + SecurityOptions.KERBEROS_CONFIGURATION.key()
                + ") does not exist.");
  }

  @Test
  void blankLoginIsNone() {
    Configuration blank =
        Configuration.EMPTY
            .with(SecurityOptions.KERBEROS_KEYTAB, " ")
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "");

    assertThat(KerberosLogin.in(blank)).isEmpty();
  }

  @Test
  void loginHasKeytabAndPrincipal() throws IOException {
    Path keytab = Files.writeString(directory.resolve("my.keytab"), "keys");
    Configuration login =
        Configuration.EMPTY
            .with(SecurityOptions.KERBEROS_KEYTAB, keytab)
            .with(SecurityOptions.KERBEROS_PRINCIPAL, "me@REALM");

    assertThat(KerberosLogin.in(login)).contains(new KerberosLogin(keytab, "me@REALM"));
  }

  /** Half a login would run without a login, which fails much later and elsewhere. */
  @Test
  void halfALoginNamesTheOptionThatIsSet() {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(
            () ->
                KerberosLogin.in(
                    Configuration.EMPTY.with(SecurityOptions.KERBEROS_PRINCIPAL, "me@REALM")))
        .withMessageContaining("but only " + SecurityOptions.KERBEROS_PRINCIPAL.key() + " is set.");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(
            () ->
                KerberosLogin.in(
                    Configuration.EMPTY
                        .with(SecurityOptions.KERBEROS_KEYTAB, "/a.keytab")
                        .with(SecurityOptions.KERBEROS_PRINCIPAL, " ")))
        .withMessageContaining("but only " + SecurityOptions.KERBEROS_KEYTAB.key() + " is set.");
  }

  @Test
  void tokensAreLongAndDiffer() {
    String token = RestToken.random();

    assertThat(token).hasSize(64).matches("[0-9a-f]+").isNotEqualTo(RestToken.random());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0123456789abcde", "0123456789 abcdef", "0123456789abcdef\u00e9", ""})
  void tokenFileHasOneLineOfPlainCharacters(String content) throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, content);
    Configuration configuration = Configuration.EMPTY.with(SecurityOptions.REST_TOKEN_FILE, file);

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> RestToken.of(configuration))
        .withMessageContaining("must have one line of at least 16 letters and digits")
        .withMessageContaining(SecurityOptions.REST_TOKEN_FILE.key());
  }

  @Test
  void blanksAroundATokenAreNotPartOfIt() throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, " 0123456789abcdef\n");

    assertThat(RestToken.of(Configuration.EMPTY.with(SecurityOptions.REST_TOKEN_FILE, file)))
        .contains("0123456789abcdef");
    assertThat(RestToken.of(Configuration.EMPTY)).isEmpty();
  }

  private Path withMode(String mode) throws IOException {
    Path file = Files.writeString(directory.resolve("secret"), "x");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}
